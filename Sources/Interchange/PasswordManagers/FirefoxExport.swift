import Keychain

extension FileFormat {
  /// What Firefox writes for `about:logins`, "Export Passwords".
  public static let firefox = FileFormat(
    "firefox", "the CSV that Firefox and Thunderbird export", holdsLoginsAlone: true
  ) { text throws(FormatFault) in
    // An account of the browser itself is kept as JSON with all its keys.
    let export = CSVExport(
      url: ["url"], account: ["username"], password: ["password"],
      incidental: ["httpRealm", "formActionOrigin", "guid", "timeLastUsed"],
      dates: ("timeCreated", modified: "timePasswordChanged"), mark: "httpRealm",
      foreignURL: "chrome://FirefoxAccounts")
    return try export.read(text)
  }
}
