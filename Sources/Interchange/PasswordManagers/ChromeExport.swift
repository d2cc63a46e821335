import Keychain

extension FileFormat {
  /// What Chrome, and what is made of Chromium, writes for `chrome://password-manager/settings`, "Export passwords".
  public static let chrome = FileFormat(
    "chrome", "the CSV that Chrome, Edge, Brave and Vivaldi export", holdsLoginsAlone: true
  ) { text throws(FormatFault) in
    let export = CSVExport(
      name: ["name"], url: ["url"], account: ["username"], password: ["password"],
      others: [("note", "notes")])
    return try export.read(text)
  }
}
