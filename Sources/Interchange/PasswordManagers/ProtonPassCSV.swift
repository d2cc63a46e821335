import Keychain

extension FileFormat {
  /// The exports of Proton Pass, in each of its forms.
  public static let protonPass = FileFormat(
    "protonpass", "the CSV, JSON or ZIP that Proton Pass exports", otherNames: ["proton", "proton-pass"],
    forms: [.protonPassCSV, .protonPassJSON.beginning(with: "{[")])

  /// The output of Proton Pass's "Export", "CSV". The user name of older versions may be an e-mail address.
  static let protonPassCSV = FileFormat(
    "protonpass", "the CSV that Proton Pass exports",
    CSVExport(
      name: ["name"], url: ["url"], account: ["username"], otherAccounts: ["email"], password: ["password"],
      notes: ["note"], code: ["totp"], tags: [.init(column: "vault")],
      dates: ("createTime", modified: "modifyTime", .seconds), ownColumns: ["createTime"],
      kind: ("type", "login", .foreign), addresses: .commasAndSpaces))
}
