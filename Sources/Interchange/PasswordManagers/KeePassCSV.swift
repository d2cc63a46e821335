import Keychain

extension FileFormat {
  /// The output of "Export", "KeePass CSV (1.x)", in KeePass 1 and 2 (keepass.info, "Import / Export"). It has neither
  /// groups nor fields of one's own.
  public static let keePass = FileFormat(
    "keepass", "the CSV that KeePass exports", otherNames: ["keepass1", "keepass2"],
    CSVExport(
      name: ["Account"], url: ["Web Site"], account: ["Login Name"], password: ["Password"],
      notes: ["Comments"], ownColumn: "Login Name", escape: .backslash, placeholders: keepassPlaceholders))
}
