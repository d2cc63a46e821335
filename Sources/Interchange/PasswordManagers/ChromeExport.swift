import Keychain

extension FileFormat {
  /// The output of "Export passwords" in `chrome://password-manager/settings`, in Chrome and other browsers based on
  /// Chromium.
  public static let chrome = FileFormat(
    "chrome", "the CSV that Chrome, Edge, Brave and Vivaldi export",
    otherNames: ["edge", "brave", "vivaldi", "opera", "chromium"],
    CSVExport(
      name: ["name"], url: ["url"], account: ["username"], password: ["password"], notes: ["note"]))
}
