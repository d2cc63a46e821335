import Keychain

extension FileFormat {
  /// The output of "Export Passwords" in Firefox's `about:logins`.
  public static let firefox = FileFormat(
    "firefox", "the CSV that Firefox and Thunderbird export", otherNames: ["thunderbird"],
    CSVExport(
      url: ["url"], otherURL: ["formActionOrigin"], account: ["username"], password: ["password"],
      fields: ["httpRealm"], dates: ("timeCreated", modified: "timePasswordChanged", .milliseconds),
      ownColumn: "httpRealm",
      // An account of the browser itself is stored as JSON with all its keys.
      foreignURLs: ["chrome://FirefoxAccounts"]))
}
