import Keychain

extension FileFormat {
  /// The output of 1Password's "Export", "CSV", which contains only logins and passwords.
  public static let onePassword = FileFormat(
    "1password", "the CSV that 1Password exports", holdsLoginsAlone: true,
    severalForTheSame: .lastChangedAnswers
  ) { text throws(FormatFault) in
    let export = CSVExport(
      name: ["Title"], url: ["Url", "Website", "Urls"], account: ["Username"], password: ["Password"],
      kind: ("Type", "Login", .described), addresses: .lines)
    return try export.read(text)
  }
}
