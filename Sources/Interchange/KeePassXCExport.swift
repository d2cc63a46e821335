import Keychain

extension FileFormat {
  /// What KeePassXC writes for "Export", "CSV", and `keepassxc-cli export --format csv`.
  public static let keepassxc = FileFormat(
    "keepassxc", "the CSV that KeePassXC exports", holdsLoginsAlone: true
  ) { text throws(FormatFault) in
    let export = CSVExport(
      name: ["Title"], url: ["URL"], account: ["Username"], password: ["Password"],
      others: [("Notes", "notes"), ("TOTP", "one-time code")], dates: ("Created", modified: "Last Modified"),
      group: ("Group", discarded: "Recycle Bin"),
      reference: "{REF:")
    return try export.read(text)
  }
}
