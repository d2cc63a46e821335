import Keychain

extension FileFormat {
  /// The output of "Export Passwords" in Firefox's `about:logins`.
  public static let firefox = FileFormat(
    "firefox", "the CSV that Firefox and Thunderbird export", otherNames: ["thunderbird"],
    // An account of the browser itself is stored as JSON with all its keys.
    CSVExport(
      url: ["url"], account: ["username"], password: ["password"], otherURL: ["formActionOrigin"],
      dates: ("timeCreated", modified: "timePasswordChanged"), mark: "httpRealm",
      foreignURL: "chrome://FirefoxAccounts"))
}
