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
    of uuid: String, _ key: VaultKey, in stateFolder: StateFolder
  ) throws(KeychainError) -> Memory {
    let text = try stateFolder.lending { (folder) throws(KeychainError) -> Secret? in
      guard let file = try folder.file(fileName(uuid)) else { return nil }
      return try file.contents(limit: 4096)
    }
    guard let text else { return .nothing }
    return text.withUnsafeBytes { text in
      guard text.last == 0x0a else { return .nothing }
      var memory = Memory.nothing
      var start = 0
      // A second line is there while the vault's key is being changed.
      while start < text.count {
        guard let (seen, tagStart) = parse(text, from: start) else { return .nothing }
        let tag = seen.tag(key)
        let end = tagStart + tag.count
        guard end < text.count, text[end] == 0x0a else { return .nothing }
        if tag.indices.allSatisfy({ text[tagStart + $0] == tag[$0] }) { return .seen(seen) }
        memory = .otherKey
        start = end + 1
      }
      return memory
    }
  }

  /// The number and the MAC of the line that begins at `start`, and where its tag begins; `nil` if it is none. By
  /// hand, for this is on the way to every answer.
  private static func parse(
    _ text: UnsafeRawBufferPointer, from start: Int
  ) -> (seen: SeenGeneration, tagStart: Int)? {
    var index = start
    var number: Int64 = 0
    while index < text.count, 0x30...0x39 ~= text[index] {
      let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, isSumTooLarge) = product.addingReportingOverflow(Int64(text[index] - 0x30))
      if isTooLarge || isSumTooLarge { return nil }
      number = sum
      index += 1
    }
    guard number > 0, index < text.count, text[index] == 0x20 else { return nil }
    let macStart = index + 1
    index = macStart
    while index < text.count, text[index] != 0x20 {
      if text[index] == 0x0a { return nil }
      index += 1
    }
    guard index > macStart, index < text.count else { return nil }
    let mac = [UInt8](UnsafeRawBufferPointer(rebasing: text[macStart..<index]))
    return (SeenGeneration(number: number, mac: mac), index + 1)
  }

  /// A generation by its number and its header's MAC.
  init(number: Int64, headerMAC: [UInt8]) {
    self.init(number: number, mac: hexadecimalDigits(headerMAC))
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
    hexadecimalDigits(key.authenticate(Array("seen \(number) ".utf8) + mac))
  }
}
