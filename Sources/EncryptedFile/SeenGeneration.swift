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
    let parts = text.split(separator: UInt8(ascii: " "))
    guard parts.count == 3, text.last == 0x0a, let number = Int64(String(decoding: parts[0], as: UTF8.self)),
      number > 0
    else { return .nothing }
    let seen = SeenGeneration(number: number, mac: Array(parts[1]))
    return parts[2].dropLast().elementsEqual(seen.tag(key)) ? .seen(seen) : .otherKey
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
    let line = Secret(copying: ByteString(Array("\(number) ".utf8) + mac + [0x20] + tag(key) + [0x0a]))
    let folder = try Folder(creating: stateFolder)
    try line.withUnsafeBytes { (bytes) throws(KeychainError) in
      try folder.replace(Self.fileName(uuid), with: bytes, isLasting: false)
    }
  }

  private func tag(_ key: VaultKey) -> [UInt8] {
    Array(hexadecimal(key.authenticate(Array("seen \(number) ".utf8) + mac)).utf8)
  }
}
