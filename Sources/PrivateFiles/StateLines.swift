import Bytes
package import Keychain

/// A small file of lines in the state folder, read, changed and replaced by programs in turn. It has no secret.
package struct StateLines {
  private let stateFolder: String
  private let name: String

  /// The largest file, in bytes. Beyond it, the oldest lines go.
  private static let maximumSize = 1 << 20
  /// How long to wait for other writers, in seconds.
  private static let patience = 10

  /// The file need not exist. Its lock is the file `NAME.lock`.
  package init(_ name: String, in stateFolder: String) {
    self.stateFolder = stateFolder
    self.name = name
  }

  /// For messages.
  package var path: String { "\(stateFolder)/\(name)" }

  /// The lines without their ends, oldest first; none without a file.
  ///
  /// - Throws: ``KeychainError`` if the file can't be read.
  package func read() throws(KeychainError) -> [String] {
    guard let folder = try Folder(opening: stateFolder), let file = try folder.file(name) else { return [] }
    return try file.contents(limit: Self.maximumSize).withUnsafeBytes { text in
      text.split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Changes the lines while nobody else does. Returns whether the change lasts; `nil` if nothing changed.
  ///
  /// - Throws: what `body` throws, and ``KeychainError`` if the file can't be written.
  package func change(
    _ body: (inout [String]) throws(KeychainError) -> Void
  ) throws(KeychainError) -> Durability? {
    let folder = try Folder(creating: stateFolder)
    let lock = try FileLock(name + ".lock", in: folder, patience: Self.patience) {}
    defer { withExtendedLifetime(lock) {} }
    let former = try read()
    var lines = former
    try body(&lines)
    if lines == former { return nil }
    var size = lines.reduce(0) { $0 + $1.utf8.count + 1 }
    while size > Self.maximumSize { size -= lines.removeFirst().utf8.count + 1 }
    let text = Secret(lines.map { $0 + "\n" }.joined())
    return try text.withUnsafeBytes { (bytes) throws(KeychainError) in try folder.replace(name, with: bytes) }
  }
}
