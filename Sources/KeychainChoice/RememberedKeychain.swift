package import Keychain
import PrivateFiles

/// The choice that was made at the first store or by `llavero keychain use`: a file of one line, `KIND DATE`.
package struct RememberedKeychain {
  /// What was chosen.
  package let kind: KeychainKind
  /// When, if the file says so.
  package let date: Timestamp?

  private static let name = "keychain"

  /// The choice; `nil` if none was made.
  ///
  /// - Throws: ``KeychainChoiceError/unreadableChoice(path:)`` if it can't be understood, and
  ///   ``KeychainChoiceError/keychain(_:)`` if it can't be read: then nobody knows where the items are.
  package static func read(in stateFolder: String) throws(KeychainChoiceError) -> RememberedKeychain? {
    guard let line = try line(in: stateFolder) else { return nil }
    let words = line.split(whereSeparator: \.isWhitespace)
    guard let word = words.first, let kind = KeychainKind(rawValue: String(word)) else {
      throw .unreadableChoice(path: "\(stateFolder)/\(name)")
    }
    return RememberedKeychain(
      kind: kind, date: words.count > 1 ? Timestamp(rfc3339: words[1].utf8) : nil)
  }

  private static func line(in stateFolder: String) throws(KeychainChoiceError) -> String? {
    do throws(KeychainError) {
      guard let folder = try Folder(opening: stateFolder), let file = try folder.file(name) else {
        return nil
      }
      return try file.contents(limit: 1000).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    } catch {
      throw .keychain(error)
    }
  }

  /// Remembers a choice.
  ///
  /// - Throws: ``KeychainError`` if it can't be written.
  package static func write(
    _ kind: KeychainKind, in stateFolder: String, at now: Timestamp = .now
  ) throws(KeychainError) {
    let line = Secret("\(kind.rawValue) \(now)\n")
    let folder = try Folder(creating: stateFolder)
    try line.withUnsafeBytes { (bytes) throws(KeychainError) in try folder.replace(name, with: bytes) }
  }
}
