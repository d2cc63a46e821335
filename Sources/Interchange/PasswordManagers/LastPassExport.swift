import Bytes
import Keychain

extension FileFormat {
  /// The output of LastPass's "Export", and of `lpass export`. Entries that are no logins have a special address.
  public static let lastPass = FileFormat(
    "lastpass", "the CSV that LastPass exports",
    CSVExport(
      name: ["name"], url: ["url"], account: ["username"], password: ["password"], notes: ["extra"],
      code: ["totp"], tags: [.init(column: "grouping", isPath: true)],
      ownColumn: "grouping", others: ["fav"],
      // A secure note and a folder.
      foreignURLs: ["http://sn", "http://group"]
    ) { login, _ in
      // It writes this for a missing address.
      login.addresses.removeAll { $0.text == "http://" || $0.text == "https://" }
    })
}
