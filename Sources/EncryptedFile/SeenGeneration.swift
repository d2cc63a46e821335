import Keychain
import PrivateFiles

/// The newest generation of a vault that this machine has seen. Whoever can write the vault's folder, as a sync
/// program can, could otherwise put an older one there: with a password that was changed, or an item that was deleted.
///
/// It is a file `UUID.seen` of this machine's state: `GENERATION MAC TAG`, where MAC is the header's and TAG proves that
/// the vault's own key wrote it; both in hexadecimal digits. Who can put back both files is not noticed.
struct SeenGeneration: Equatable {
  let number: Int64
  let mac: [UInt8]

  /// What this machine remembers.
  enum Memory: Equatable {
    /// Nothing, or nothing that could be read: a file that a power cut left empty is no attack.
    case nothing
    case seen(SeenGeneration)
    /// Something that was written with another key than the vault now has.
    case otherKey
  }

  private static func fileName(_ uuid: String) -> String { uuid + ".seen" }

  /// What is remembered of a vault.
  ///
  /// - Throws: ``KeychainError`` if the file can't be read or lets others in.
  static func remembered(
    of uuid: String, _ key: VaultKey, in stateFolder: String
  ) throws(KeychainError) -> Memory {
    guard let folder = try Folder(opening: stateFolder), let file = try folder.file(fileName(uuid)) else {
      return .nothing
    }
    let text = try file.contents(limit: 4096).withUnsafeBytes { Array($0) }
    guard text.last == 0x0a else { return .nothing }
    var memory = Memory.nothing
    // A second line is there while the vault's key is being changed.
    for line in text.split(separator: 0x0a) {
      let parts = line.split(separator: UInt8(ascii: " "))
      guard parts.count == 3, let number = Int64(String(decoding: parts[0], as: UTF8.self)), number > 0 else {
        return .nothing
      }
      let seen = SeenGeneration(number: number, mac: Array(parts[1]))
      if parts[2].elementsEqual(seen.tag(key)) { return .seen(seen) }
      memory = .otherKey
    }
    return memory
  }

  /// A generation by its number and its header's MAC.
  init(number: Int64, headerMAC: [UInt8]) {
    self.init(number: number, mac: Array(hexadecimal(headerMAC).utf8))
  }

  /// What the generation's file is called among those that are kept.
  var fileName: String { "\(number)-\(String(decoding: mac.prefix(8), as: UTF8.self)).age" }

  private init(number: Int64, mac: [UInt8]) {
    self.number = number
    self.mac = mac
  }

  /// Remembers it. It is not forced onto the disk, for what a crash takes away is only the notice of a rollback.
  func remember(of uuid: String, _ key: VaultKey, in stateFolder: String) throws(KeychainError) {
    try Self.write(line(key), of: uuid, in: stateFolder)
  }

  /// Remembers it together with the one before, which another key wrote: of these two the one that is in the vault's
  /// place is the newest.
  func remember(
    of uuid: String, _ key: VaultKey, in stateFolder: String, besides former: SeenGeneration,
    _ formerKey: VaultKey
  ) throws(KeychainError) {
    try Self.write(former.line(formerKey) + line(key), of: uuid, in: stateFolder)
  }

  private static func write(
    _ lines: [UInt8], of uuid: String, in stateFolder: String
  ) throws(KeychainError) {
    let folder = try Folder(creating: stateFolder)
    try lines.lendingBytes { (bytes) throws(KeychainError) in
      try folder.replace(fileName(uuid), with: bytes, isLasting: false)
    }
  }

  private func line(_ key: VaultKey) -> [UInt8] {
    Array("\(number) ".utf8) + mac + [0x20] + tag(key) + [0x0a]
  }

  private func tag(_ key: VaultKey) -> [UInt8] {
    Array(hexadecimal(key.authenticate(Array("seen \(number) ".utf8) + mac)).utf8)
  }
}
