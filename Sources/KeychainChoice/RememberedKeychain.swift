package import Keychain
import PrivateFiles

/// The choice that was made at the first store or by `llavero keychain use`: a file of one line, `KIND DATE`, and the path
/// of the encrypted file behind it if that was there.
package struct RememberedKeychain {
  /// What was chosen.
  package let kind: KeychainKind
  /// When, if the file says so.
  package let date: Timestamp?
  /// The encrypted file that was there then.
  package let vault: String?

  private static let name = "keychain"
  private static let limit = 1000

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
    let vault = line.split(separator: " ", maxSplits: 2).dropFirst(2).first?.prefix { $0 != "\n" }
    return RememberedKeychain(
      kind: kind, date: words.count > 1 ? Timestamp(rfc3339: words[1].utf8) : nil,
      vault: vault.flatMap { $0.hasPrefix("/") ? String($0) : nil })
  }

  /// The encrypted file that was there when it was chosen; `nil` if none was, or that can't be told.
  package static func vault(in stateFolder: String) -> String? {
    guard let remembered = try? read(in: stateFolder), remembered.kind == .file else { return nil }
    return remembered.vault
  }

  private static func line(in stateFolder: String) throws(KeychainChoiceError) -> String? {
    do throws(KeychainError) {
      guard let folder = try Folder(opening: stateFolder), let file = try folder.file(name) else {
        return nil
      }
      return try file.contents(limit: limit).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    } catch {
      throw .keychain(error)
    }
  }

  /// Remembers a choice.
  ///
  /// - Parameter vault: the encrypted file, if that is chosen and is there: from then on it is missed where it isn't. A path
  ///   that is too long, or has a line feed, is left out.
  /// - Throws: ``KeychainError`` if it can't be written.
  package static func write(
    _ kind: KeychainKind, vault: String? = nil, in stateFolder: String, at now: Timestamp = .now
  ) throws(KeychainError) {
    var text = "\(kind.rawValue) \(now)"
    if let vault, !vault.utf8.contains(0x0a), text.utf8.count + vault.utf8.count + 2 <= limit {
      text += " " + vault
    }
    let line = Secret(text + "\n")
    let folder = try Folder(creating: stateFolder)
    try line.withUnsafeBytes { (bytes) throws(KeychainError) in try folder.replace(name, with: bytes) }
  }
}
