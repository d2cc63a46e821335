import Bytes
import Keychain
import ToolCommands

/// A QR code on the terminal (ISO/IEC 18004), drawn by the program qrencode. Debian has its library only in the shared
/// form, which a static program can't load.
enum QRCode {
  private static let program = "qrencode"
  /// The longest text, in bytes, that a code of the lowest level of correction holds.
  private static let limit = 2953
  /// How long the program may take, in milliseconds.
  private static let patience = 10_000

  /// - Throws: ``KeychainError`` if none can be shown here, before a secret is taken for that.
  static func check() throws(KeychainError) {
    _ = try terminal()
    if ProgramSearch.path(of: CString(copying: program)) == nil {
      throw .failure(
        "the program qrencode isn't here", hint: "install the package qrencode", status: .keychain)
    }
  }

  private static func terminal() throws(KeychainError) -> Terminal {
    guard StandardStreams.isTerminal(1), TerminalStyle.knowsEscapes, let terminal = Terminal() else {
      throw .failure("--qr shows the secret on a terminal alone", status: .usage)
    }
    return terminal
  }

  /// The width of the picture's first line, without the sequences for its colours.
  private static func columns(of picture: borrowing Secret) -> Int {
    picture.withUnsafeBytes { bytes in
      var (count, isSequence) = (0, false)
      for byte in bytes.prefix(while: { $0 != UInt8(ascii: "\n") }) {
        if isSequence {
          isSequence = byte != UInt8(ascii: "m")
        } else if byte == 0x1b {
          isSequence = true
        } else if byte & 0xc0 != 0x80 {
          // A character, by its first byte in UTF-8.
          count += 1
        }
      }
      return count
    }
  }

  /// Shows a secret as a code.
  ///
  /// - Throws: ``KeychainError`` if it is too long, or can't be shown.
  static func show(_ secret: borrowing Secret) throws(KeychainError) {
    let terminal = try terminal()
    guard !secret.isEmpty, secret.count <= limit else {
      throw .failure(
        secret.isEmpty
          ? "the secret is empty" : "the secret is too long for a QR code, which holds 2953 bytes",
        status: .nothingMatched)
    }
    let outcome = try ProgramOutput.converse(
      [program, "--8bit", "--type=ANSIUTF8", "--margin=2", "--output=-"]
        .map { CString(copying: $0) },
      sending: secret, timeout: patience, limit: 1 << 20)
    switch consume outcome {
    case .printed(let picture):
      let width = columns(of: picture)
      if let own = TerminalStyle().width, own < width {
        throw .failure(
          "the terminal is too narrow for the code",
          hint: "it has \(own) columns, and the code needs \(width)",
          status: .nothingMatched)
      }
      terminal.write(picture)
    case .failed:
      throw .failure(
        "qrencode has drawn nothing", hint: "see whether \(command: program) works by itself",
        status: .keychain)
    }
  }
}
