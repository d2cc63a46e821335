import Keychain

extension FileFormat {
  /// The output of KeePassXC's "Export", "CSV", and of `keepassxc-cli export --format csv`.
  public static let keepassxc = FileFormat(
    "keepassxc", "the CSV that KeePassXC exports", holdsLoginsAlone: true
  ) { text throws(FormatFault) in
    let export = CSVExport(
      name: ["Title"], url: ["URL"], account: ["Username"], password: ["Password"],
      others: [("Notes", "notes"), ("TOTP", "one-time code")], incidental: ["Icon"],
      dates: ("Created", modified: "Last Modified"),
      group: ("Group", discarded: "Recycle Bin"),
      // Entries contain these as typed; KeePassXC replaces them when an entry is used.
      placeholders: [
        "REF", "TITLE", "USERNAME", "PASSWORD", "NOTES", "TOTP", "URL", "UUID", "S", "DB", "DT", "T",
      ])
    return try export.read(text)
  }
}
