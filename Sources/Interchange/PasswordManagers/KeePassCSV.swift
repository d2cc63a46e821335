import Keychain

extension FileFormat {
  /// The exports of KeePass, in each of its forms.
  public static let keePass = FileFormat(
    "keepass", "the CSV, XML or database of KeePass 1, 2 and KeePassXC",
    otherNames: ["keepass1", "keepass2"], forms: [.keePassCSV, .keePassXML.beginning(with: "<")])

  /// The output of "Export", "KeePass CSV (1.x)", in KeePass 1 and 2 (keepass.info, "Import / Export"). It has neither
  /// groups nor custom fields.
  static let keePassCSV = FileFormat(
    "keepass", "the CSV that KeePass exports",
    CSVExport(
      name: ["Account"], url: ["Web Site"], account: ["Login Name"], password: ["Password"],
      notes: ["Comments"], ownColumn: "Login Name", escape: .backslash, hasPlaceholders: true))
}
