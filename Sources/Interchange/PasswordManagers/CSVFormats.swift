import Bytes
import CredentialProtocols
import Keychain

// The formats that are a table each. Those with forms besides are in files of their own.
extension FileFormat {
  /// The output of "Export passwords" in `chrome://password-manager/settings`, in Chrome and other browsers based on
  /// Chromium.
  public static let chrome = FileFormat(
    "chrome", "the CSV that Chrome, Edge, Brave and Vivaldi export",
    otherNames: ["edge", "brave", "vivaldi", "opera", "chromium"],
    CSVExport(columns: [
      .name: ["name"], .url: ["url"], .account: ["username"], .password: ["password"], .notes: ["note"],
    ]))

  /// The output of "Export Passwords" in Firefox's `about:logins`.
  public static let firefox = FileFormat(
    "firefox", "the CSV that Firefox and Thunderbird export", otherNames: ["thunderbird"],
    CSVExport(
      columns: [
        .url: ["url"], .otherURL: ["formActionOrigin"], .account: ["username"], .password: ["password"],
        .created: ["timeCreated"], .modified: ["timePasswordChanged"],
      ],
      fields: ["httpRealm"], ownColumn: "httpRealm",
      // An account of the browser itself is stored as JSON with all its keys.
      foreignURLs: ["chrome://FirefoxAccounts"]))

  /// The output of "Export All Passwords" in Apple's Passwords, and of Safari since version 15.
  public static let safari = FileFormat(
    "safari", "the CSV that Apple's Passwords and Safari export", otherNames: ["apple-passwords", "apple"],
    CSVExport(
      columns: [
        .name: ["Title"], .url: ["URL"], .account: ["Username"], .password: ["Password"], .notes: ["Notes"],
        .code: ["OTPAuth"],
      ], typicalColumn: "OTPAuth"
    ) { entry in
      // An entry gets this title automatically; the key contains it, too.
      guard let address = entry.login.addresses.first, let place = Place.ofServer(in: address.text)?.place
      else {
        return
      }
      let title = place.server.bytes + Array(" (".utf8) + entry.login.account.bytes + Array(")".utf8)
      if entry.login.name.bytes == title { entry.login.name = "" }
    })

  /// The output of LastPass's "Export", and of `lpass export`. Entries that are no logins have a special address.
  public static let lastPass = FileFormat(
    "lastpass", "the CSV that LastPass exports",
    CSVExport(
      columns: [
        .name: ["name"], .url: ["url"], .account: ["username"], .password: ["password"], .notes: ["extra"],
        .code: ["totp"],
      ], tags: [.init(column: "grouping", isPath: true)], ownColumn: "grouping", others: ["fav"],
      // A secure note and a folder.
      foreignURLs: ["http://sn", "http://group"]
    ) { entry in
      // It writes this for a missing address.
      entry.login.addresses.removeAll { $0.text == "http://" || $0.text == "https://" }
    })

  /// The file `credentials.csv` of Dashlane's "Export data". The other files beside it have no logins.
  public static let dashlane = FileFormat(
    "dashlane", "the file credentials.csv that Dashlane exports",
    CSVExport(
      columns: [
        .name: ["title"], .url: ["url"], .account: ["username"], .password: ["password"], .notes: ["note"],
        .code: ["otpUrl", "otpSecret"],
      ], otherAccounts: ["username2", "username3"], tags: [.init(column: "category")], ownColumn: "username2")
  )
}
