import Keychain

extension FileFormat {
  /// The output of 1Password's "Export": CSV, which contains only logins and passwords, `export.data` from a `.1pux`
  /// archive, or the `.1pif` of older versions.
  public static let onePassword = FileFormat(
    "1password", "the CSV, 1pux or 1pif that 1Password exports",
    forms: [
      // Version 7 has a column for each of a person's own fields.
      FileFormat(
        "1password", "its CSV",
        CSVExport(
          columns: [
            .name: ["Title"], .url: ["Url", "Website", "Urls"], .account: ["Username"],
            .password: ["Password"],
            .notes: ["Notes"], .code: ["OTPAuth", "One-time password"], .kind: ["Type"],
          ],
          tags: [.init(column: "Tags", separator: UInt8(ascii: ";")), .init(column: "Vault")],
          othersAreFields: true,
          ownColumns: ["Favorite", "Archived", "Tags", "Type", "Vault", "Website", "Urls"],
          kind: ("Login", .described), addresses: .lines)),
      FileFormat(
        "1password", "its 1pux", holdsLoginsAlone: true,
        looksLike: { $0.isArchive(of: "export.") || $0.members == ["accounts"] }
      ) { text throws(FormatFault) in try OnePasswordArchive.read(text) }
      .wrapped(in: .archive(members: ["export.data"])).beginning(with: "{"),
      FileFormat(
        "1password", "its 1pif", holdsLoginsAlone: true,
        looksLike: { OnePasswordInterchange.isOne($0.text) }
      ) { text in OnePasswordInterchange.read(text) },
    ])
}
