import Keychain

extension FileFormat {
  /// The file `credentials.csv` of Dashlane's "Export data". The other files beside it have no logins.
  public static let dashlane = FileFormat(
    "dashlane", "the file credentials.csv that Dashlane exports",
    CSVExport(
      name: ["title"], url: ["url"], account: ["username"], otherAccounts: ["username2", "username3"],
      password: ["password"], notes: ["note"], code: ["otpUrl", "otpSecret"],
      tags: [.init(column: "category")], ownColumn: "username2"))
}
