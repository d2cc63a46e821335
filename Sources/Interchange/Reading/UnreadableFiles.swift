import Bytes

/// Files that people mistake for an export, and that no format can read.
extension FormatFault {
  /// - Returns: `nil` if the file isn't known as one of these.
  init?(ofWhatIsNone file: UnsafeRawBufferPointer) {
    guard let reason = Self.reason(file) else { return nil }
    self.init(reason)
  }

  private static func reason(_ file: UnsafeRawBufferPointer) -> String? {
    if file.starts(with: [0x50, 0x4b, 0x03, 0x04]) { return archive(file) }
    if let known = beginnings.first(where: { file.starts(with: $0.beginning) }) { return known.reason }
    // The output of `security dump-keychain` (Apple's security(1)).
    let hasAttributes = FileLines(file).prefix(4).contains {
      $0.text.starts(with: "version: ".utf8) || $0.text.starts(with: "class: ".utf8)
    }
    if file.starts(with: "keychain: \"".utf8), hasAttributes {
      return
        "it is what macOS's 'security dump-keychain' prints; in Apple's Passwords choose \"Export All Passwords\", and "
        + "import that CSV file"
    }
    return nil
  }

  /// The origin of a ZIP archive, by the name of the first file in it, which is 30 bytes after its beginning
  /// (APPNOTE.TXT of PKWARE, section 4.3.7).
  private static func archive(_ file: UnsafeRawBufferPointer) -> String {
    let name = file.dropFirst(30)
    if ["[Content_Types].xml", "_rels/", "xl/", "docProps/", "mimetypeapplication/vnd."]
      .contains(where: { name.starts(with: $0.utf8) })
    {
      return "it is a spreadsheet; save it there as CSV in UTF-8, and import that"
    }
    return
      "it is a ZIP archive, as a .1pux file is; export CSV, or JSON, instead, or unpack it and name the file in it"
  }

  private static let rclone =
    "rclone has encrypted it; 'rclone config show | llavero import rclone -' imports its contents"

  private static let beginnings: [(beginning: [UInt8], reason: String)] = [
    (
      [0x03, 0xd9, 0xa2, 0x9a],
      "it is a database of KeePass; export CSV from KeePassXC instead: keepassxc-cli export --format csv"
    ),
    ([0xd0, 0xcf, 0x11, 0xe0], "it is a spreadsheet; save it there as CSV in UTF-8, and import that"),
    (
      Array("SQLite format 3\0".utf8),
      "it is a database of its program, where passwords are encrypted; export them there as CSV or JSON"
    ),
    (Array("kych".utf8), "it is a keychain of macOS; export CSV from Apple's Passwords instead"),
    (
      Array("-----BEGIN PGP MESSAGE-----".utf8),
      "it is encrypted with OpenPGP; export it without encryption, or decrypt it with 'gpg --decrypt'"
    ),
    (Array("# Encrypted rclone configuration".utf8), rclone), (Array("RCLONE_ENCRYPT_V0:".utf8), rclone),
    (Array("Salted__".utf8), "it is encrypted; export it without encryption"),
    ([0x1f, 0x8b], "it is compressed; unpack it, and import its contents"),
    (Array("<!DOCTYPE html".utf8), "it is a page for a browser; export CSV, JSON or XML instead"),
    (Array("<html".utf8), "it is a page for a browser; export CSV, JSON or XML instead"),
    (Array("%PDF-".utf8), "it is a PDF; export CSV or JSON instead"),
  ]
}
