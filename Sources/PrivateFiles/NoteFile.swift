package import Bytes
import Keychain

// Notes of this machine's: small files without secrets, which can get lost.
extension JSONMessage {
  /// The largest note, in bytes.
  private static var maximumSize: Int { 65_536 }

  /// Completes the note by its file. What isn't there, or can't be read, stays as it is.
  package mutating func readNote(_ name: String, in folder: String) {
    guard let folder = try? Folder(opening: folder), let file = try? folder.file(name),
      let text = try? file.contents(limit: Self.maximumSize)
    else { return }
    text.withUnsafeBytes { try? read($0) }
  }

  /// Writes the note into its file, if possible.
  package func writeNote(_ name: String, in folder: String) {
    guard let folder = try? Folder(creating: folder) else { return }
    try? encodedLine.withUnsafeBytes { (bytes) throws(KeychainError) in
      try folder.replaceForNow(name, with: bytes)
    }
  }
}
