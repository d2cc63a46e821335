import Keychain

extension FileFormat {
  /// The output of "Export passwords" in `chrome://password-manager/settings`, in Chrome and other browsers based on
  /// Chromium.
  public static let chrome = FileFormat(
    "chrome", "the CSV that Chrome, Edge, Brave and Vivaldi export", holdsLoginsAlone: true,
    severalForTheSame: .lastChangedAnswers
  ) { text throws(FormatFault) in
    try CSVExport(name: ["name"], url: ["url"], account: ["username"], password: ["password"]).read(text)
  }
}
