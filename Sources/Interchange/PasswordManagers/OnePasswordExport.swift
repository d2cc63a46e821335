import Keychain

extension FileFormat {
  /// What 1Password writes for "Export", "CSV"; that has logins and passwords, and nothing else.
  public static let onePassword = FileFormat(
    "1password", "the CSV that 1Password exports", holdsLoginsAlone: true
  ) { text throws(FormatFault) in
    let export = CSVExport(
      name: ["Title"], url: ["Url", "Website", "Urls"], account: ["Username"], password: ["Password"],
      others: [("Notes", "notes"), ("OTPAuth", "one-time code"), ("One-time password", "one-time code")],
      incidental: ["Favorite", "Archived", "Tags", "Type", "Vault"], addresses: .lines)
    return try export.read(text)
  }
}
