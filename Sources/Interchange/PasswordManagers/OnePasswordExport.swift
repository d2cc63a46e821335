import Keychain

extension FileFormat {
  /// The output of 1Password's "Export", "CSV", which contains only logins and passwords.
  public static let onePassword = FileFormat(
    "1password", "the CSV that 1Password exports",
    CSVExport(
      name: ["Title"], url: ["Url", "Website", "Urls"], account: ["Username"], password: ["Password"],
      marks: ["Favorite", "Archived", "Tags", "Type", "Vault", "Website", "Urls"],
      kind: ("Type", "Login", .described), addresses: .lines))
}
