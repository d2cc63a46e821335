import Keychain

extension FileFormat {
  /// What KeePassXC writes for "Export", "CSV", and `keepassxc-cli export --format csv`.
  public static let keepassxc = FileFormat(
    "keepassxc", "the CSV that KeePassXC exports", holdsLoginsAlone: true
  ) { text throws(FormatFault) in
    let export = CSVExport(
      name: ["Title"], url: ["URL"], account: ["Username"], password: ["Password"],
      others: [("Notes", "notes"), ("TOTP", "one-time code")], incidental: ["Icon"],
      dates: ("Created", modified: "Last Modified"),
      group: ("Group", discarded: "Recycle Bin"),
      // Entries keep these as they were typed; whoever uses one gets what they stand for.
      placeholders: [
        "REF", "TITLE", "USERNAME", "PASSWORD", "NOTES", "TOTP", "URL", "UUID", "S", "DB", "DT", "T",
      ])
    return try export.read(text)
  }
}
