import Keychain

extension FileFormat {
  /// The output of 1Password's "Export", "CSV", which contains only logins and passwords. Version 7 has a column for each
  /// field that a person has made.
  public static let onePassword = FileFormat(
    "1password", "the CSV that 1Password exports",
    CSVExport(
      name: ["Title"], url: ["Url", "Website", "Urls"], account: ["Username"], password: ["Password"],
      notes: ["Notes"], code: ["OTPAuth", "One-time password"],
      tags: [.init(column: "Tags", separator: UInt8(ascii: ";")), .init(column: "Vault")],
      marks: [("Favorite", "favorite"), ("Archived", "archived")], othersAreFields: true,
      ownColumns: ["Favorite", "Archived", "Tags", "Type", "Vault", "Website", "Urls"],
      kind: ("Type", "Login", .described), addresses: .lines))
}
