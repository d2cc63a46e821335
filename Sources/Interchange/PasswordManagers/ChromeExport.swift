import Keychain

extension FileFormat {
  /// The output of "Export passwords" in `chrome://password-manager/settings`, in Chrome and other browsers based on
  /// Chromium.
  public static let chrome = FileFormat(
    "chrome", "the CSV that Chrome, Edge, Brave and Vivaldi export", holdsLoginsAlone: true
  ) { text throws(FormatFault) in
    let export = CSVExport(
      name: ["name"], url: ["url"], account: ["username"], password: ["password"],
      others: [("note", "notes")])
    return try export.read(text)
  }
}
