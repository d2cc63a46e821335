import Bytes
package import Keychain
package import PrivateFiles

/// The choice made by the first store or by `llavero keychain use`, in a file with a single line: `NAME DATE`,
/// followed by the path of the encrypted file if that existed.
package struct RememberedKeychain {
  /// The name of the chosen keychain: its kind's, or one of the search list.
  package let name: String
  /// The time of the choice, if it is recorded.
  package let date: Timestamp?
  /// The path of the encrypted file that existed then.
  package let vault: String?

  private static let fileName = "keychain"
  private static let limit = 1000

  static func path(in stateFolder: String) -> String { "\(stateFolder)/\(fileName)" }

  /// The remembered choice; `nil` if there is none.
  ///
  /// - Throws: ``KeychainError`` if it can't be read or understood: nobody knows where the items are then.
  package static func read(in stateFolder: String) throws(KeychainError) -> RememberedKeychain? {
    guard let folder = try Folder(opening: stateFolder), let file = try folder.file(fileName) else {
      return nil
    }
    let remembered = try file.contents(limit: limit).withUnsafeBytes { RememberedKeychain($0) }
    guard let remembered else { throw .choice(.unreadableChoice(path: path(in: stateFolder))) }
    return remembered
  }

  /// Parses the first line; `nil` if it begins with no name. It works on bytes, because every answer takes this path.
  private init?(_ text: UnsafeRawBufferPointer) {
    let end = text.firstIndex(of: 0x0a) ?? text.count
    let nameEnd = Self.wordEnd(text, from: 0, to: end)
    let dateStart = min(nameEnd + 1, end)
    let dateEnd = Self.wordEnd(text, from: dateStart, to: end)
    let vaultStart = min(dateEnd + 1, end)
    let name = Self.string(text, 0, nameEnd)
    guard ListedKeychain.isName(name) else { return nil }
    self.name = name
    date = Timestamp(rfc3339: UnsafeRawBufferPointer(rebasing: text[dateStart..<dateEnd]))
    vault = vaultStart < end && text[vaultStart] == 0x2f ? Self.string(text, vaultStart, end) : nil
  }

  private static func wordEnd(_ text: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int {
    var index = start
    while index < end, text[index] != 0x20 { index += 1 }
    return index
  }

  private static func string(_ text: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(rebasing: text[start..<end]), as: UTF8.self)
  }

  /// The path of the encrypted file that existed at the choice; `nil` if none did, or it is unknown.
  package static func vault(in stateFolder: String) -> String? {
    guard let remembered = try? read(in: stateFolder), remembered.name == KeychainKind.file.rawValue
    else { return nil }
    return remembered.vault
  }

  /// Saves a choice.
  ///
  /// - Parameter vault: the path of the encrypted file, if it is chosen and exists. From then on its absence is an
  ///   error. A path that is too long, or contains a line feed, is left out.
  /// - Returns: whether that survives a loss of power.
  /// - Throws: ``KeychainError`` if it can't be written, or the keychain isn't in the list any more.
  package static func write(
    _ keychain: ListedKeychain, vault: String? = nil, in stateFolder: String, at now: Timestamp = .now
  ) throws(KeychainError) -> Durability {
    let folder = try Folder(creating: stateFolder)
    let lock = try KeychainList.lock(folder)
    defer { withExtendedLifetime(lock) {} }
    try keychain.checkName(in: stateFolder)
    return try replace(line(of: keychain.name, vault, at: now), in: folder)
  }

  /// Notes where the encrypted file is, if that is chosen.
  ///
  /// - Returns: the choice that was there; `nil` if there is none.
  /// - Throws: as ``read(in:)`` does, and ``KeychainError`` if it can't be written.
  package static func note(
    vault: String, in stateFolder: String
  ) throws(KeychainError) -> RememberedKeychain? {
    let folder = try Folder(creating: stateFolder)
    let lock = try KeychainList.lock(folder)
    defer { withExtendedLifetime(lock) {} }
    guard let remembered = try read(in: stateFolder) else { return nil }
    let file = KeychainKind.file.rawValue
    if remembered.name == file, remembered.vault != vault {
      let line = Self.line(of: file, vault, at: .now)
      // Lasting or not, the vault is where it is.
      _ = try replace(line, in: folder)
    }
    return remembered
  }

  private static func replace(
    _ line: borrowing Secret, in folder: borrowing Folder
  ) throws(KeychainError) -> Durability {
    try line.withUnsafeBytes { (bytes) throws(KeychainError) in try folder.replace(fileName, with: bytes) }
  }

  /// Saves a choice that nobody has asked for, unless there is one by now.
  ///
  /// - Parameters: as for ``write(_:vault:in:at:)-(ListedKeychain,_,_,_)``.
  /// - Returns: whether it survives a loss of power; `nil` if there was a choice.
  /// - Throws: ``KeychainError`` if it can't be written.
  package static func writeFirst(
    _ keychain: String, vault: String?, in stateFolder: String
  ) throws(KeychainError) -> Durability? {
    let line = Self.line(of: keychain, vault, at: .now)
    let folder = try Folder(creating: stateFolder)
    let made = try line.withUnsafeBytes { (bytes) throws(KeychainError) in
      try folder.make(fileName, with: bytes)
    }
    // A file that is there must hold a choice.
    if let made { return made }
    do throws(KeychainError) {
      _ = try read(in: stateFolder)
    } catch {
      if error.fault(KeychainChoiceFault.self) == nil { throw error }
      throw .damaged(path: path(in: stateFolder), detail: "it names no keychain")
    }
    return nil
  }

  private static func line(of keychain: String, _ vault: String?, at date: Timestamp) -> Secret {
    var text = "\(keychain) \(date)"
    if let vault, !vault.utf8.contains(0x0a), text.utf8.count + vault.utf8.count + 2 <= limit {
      text += " " + vault
    }
    return Secret(text + "\n")
  }
}

extension RememberedKeychain {
  /// Saves the choice of the keychain with its kind's name.
  ///
  /// - Returns: whether that survives a loss of power.
  /// - Throws: as ``write(_:vault:in:at:)-(ListedKeychain,_,_,_)`` does.
  package static func write(
    _ kind: KeychainKind, vault: String? = nil, in stateFolder: String, at now: Timestamp = .now
  ) throws(KeychainError) -> Durability {
    try write(ListedKeychain(builtIn: kind), vault: vault, in: stateFolder, at: now)
  }
}
