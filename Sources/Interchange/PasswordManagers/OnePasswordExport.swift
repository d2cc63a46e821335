import Keychain

extension FileFormat {
  /// The output of 1Password's "Export", "CSV", which contains only logins and passwords.
  public static let onePassword = FileFormat(
    "1password", "the CSV that 1Password exports", holdsLoginsAlone: true
  ) { text throws(FormatFault) in
    let export = CSVExport(
      name: ["Title"], url: ["Url", "Website", "Urls"], account: ["Username"], password: ["Password"],
      others: [("Notes", "notes"), ("OTPAuth", "one-time code"), ("One-time password", "one-time code")],
      incidental: ["Type"], addresses: .lines)
    return try export.read(text)
  }
}
