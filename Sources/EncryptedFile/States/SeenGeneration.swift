import Age
import Bytes
import Keychain
import PrivateFiles

/// The newest generation of a vault that this machine has seen. Otherwise anybody with write access to the vault's
/// folder, such as a sync program, could put an older one there, with a former password or a deleted item.
///
/// It is in a file `UUID.seen` in this machine's state: `GENERATION MAC TAG`, where MAC is the header's MAC and TAG
/// proves that the vault's own key wrote it, both in hexadecimal digits. An attacker who can roll back both files is
/// not noticed. The last line, `at PATH`, says where the vault was, so that it is missed if it is gone.
struct SeenGeneration: Equatable {
  let number: Int64
  let mac: [UInt8]

  enum Memory: Equatable {
    /// Nothing readable: a file left empty by a power cut is no attack.
    case nothing
    case seen(SeenGeneration)
    /// A note by another key than the vault's present one.
    case otherKey
  }

  private static let fileExtension = ".seen"
  private static func fileName(_ uuid: String) -> String { uuid + fileExtension }

  static func isFileName(_ name: UnsafeRawBufferPointer) -> Bool {
    name.count > fileExtension.utf8.count
      && name.suffix(fileExtension.utf8.count).elementsEqual(fileExtension.utf8)
  }

  private static let placeMark = "at "
  private static let sizeLimit = 4096
  /// Longer paths are not noted.
  private static let pathLimit = 3072

  /// A vault's memory, and whether the note places it in this location.
  ///
  /// - Throws: ``KeychainError`` if the file can't be read or is accessible to others.
  static func remembered(
    of uuid: String, _ key: VaultKey, in stateFolder: StateFolder
  ) throws(KeychainError) -> (memory: Memory, isHere: Bool) {
    let text = try stateFolder.lending { (folder) throws(KeychainError) -> Secret? in
      guard let file = try folder.file(fileName(uuid)) else { return nil }
      return try file.contents(limit: sizeLimit)
    }
    guard let text else { return (.nothing, false) }
    return text.withUnsafeBytes { text in (memory(in: text, key), isPlace(stateFolder.vaultFile, in: text)) }
  }

  private static func memory(in text: UnsafeRawBufferPointer, _ key: VaultKey) -> Memory {
    guard text.last == 0x0a else { return .nothing }
    var memory = Memory.nothing
    var start = 0
    // During a change of the vault's key there is a second such line.
    while start < text.count {
      if text[start] == UInt8(ascii: "a"), text[start...].starts(with: placeMark.utf8) {
        start = (text[start...].firstIndex(of: 0x0a) ?? text.count) + 1
        continue
      }
      guard let (seen, tagStart) = parse(text, from: start) else { return .nothing }
      let tag = seen.tag(key)
      let end = tagStart + tag.count
      guard end < text.count, text[end] == 0x0a else { return .nothing }
      let given = UnsafeRawBufferPointer(rebasing: text[tagStart..<end])
      if tag.withUnsafeBytes({ Sodium.areEqual($0, given) }) { return .seen(seen) }
      memory = .otherKey
      start = end + 1
    }
    return memory
  }

  /// Whether the note names the generation with this header MAC beside another. The one in place is the newest.
  static func isBeingReplaced(by mac: [UInt8], of uuid: String, in stateFolder: StateFolder) -> Bool {
    let text = try? stateFolder.lending { (folder) throws(KeychainError) -> Secret? in
      try folder.file(fileName(uuid))?.contents(limit: sizeLimit)
    }
    guard let text = text ?? nil else { return false }
    let digits = hexadecimalDigits(mac)
    return text.withUnsafeBytes { text in
      let lines = text.split(separator: 0x0a).filter { !$0.starts(with: placeMark.utf8) }
      return lines.count > 1
        && lines.contains { $0.split(separator: 0x20).dropFirst().first?.elementsEqual(digits) == true }
    }
  }

  /// The paths of the vaults seen on this machine; `nil` for each unknown one.
  static func places(in folder: borrowing Folder) throws(KeychainError) -> [String?] {
    try folder.names(where: isFileName).map { name in
      // An unreadable note is still a trace.
      guard let file = try? folder.file(name), let text = try? file.contents(limit: sizeLimit) else {
        return nil
      }
      return text.withUnsafeBytes { place(in: $0) }
    }
  }

  static func hasOther(
    than uuid: String, at path: String
  ) -> (borrowing Folder) throws(KeychainError) -> Bool? {
    { (folder) throws(KeychainError) in
      for name in try folder.names(where: isFileName) where name != fileName(uuid) {
        if let text = try contents(of: name, in: folder), text.withUnsafeBytes({ place(in: $0) }) == path {
          return true
        }
      }
      return false
    }
  }

  /// Removes the path of this vault from other vaults' notes.
  static func forgetPlace(ofOthersThan uuid: String, at location: VaultLocation) throws(KeychainError) {
    guard let folder = try Folder(opening: location.stateFolder) else { return }
    for name in try folder.names(where: isFileName) where name != fileName(uuid) {
      guard let text = try contents(of: name, in: folder) else { continue }
      try text.withUnsafeBytes { (text) throws(KeychainError) in
        guard place(in: text) == location.vaultFile else { return }
        let rest = text.dropLast(placeLine(location.vaultFile).count)
        try folder.replaceForNow(name, with: UnsafeRawBufferPointer(rebasing: rest))
      }
    }
  }

  /// Returns `nil` if the file can't be read.
  private static func contents(
    of name: String, in folder: borrowing Folder
  ) throws(KeychainError) -> Secret? {
    guard let file = try? folder.file(name) else { return nil }
    return try? file.contents(limit: sizeLimit)
  }

  /// The UUID of the vault seen at a location; `nil` if none was, or several.
  static func uuid(at location: VaultLocation) throws(KeychainError) -> String? {
    guard let folder = try Folder(opening: location.stateFolder) else { return nil }
    var found: [String] = []
    for name in try folder.names(where: isFileName) {
      guard let text = try contents(of: name, in: folder),
        text.withUnsafeBytes({ place(in: $0) == location.vaultFile })
      else { continue }
      found.append(String(name.dropLast(fileExtension.utf8.count)))
    }
    return found.count == 1 ? found.first.flatMap { isUUID($0) ? $0 : nil } : nil
  }

  /// The newest generation seen here of each vault in a location, without checking which key wrote the note.
  ///
  /// - Throws: ``KeychainError`` if the folder can't be read.
  static func noted(
    at location: VaultLocation
  ) throws(KeychainError) -> [(uuid: String, seen: SeenGeneration)] {
    guard let folder = try Folder(opening: location.stateFolder) else { return [] }
    var all: [(uuid: String, seen: SeenGeneration)] = []
    for name in try folder.names(where: isFileName) {
      guard let text = try contents(of: name, in: folder) else { continue }
      let seen = text.withUnsafeBytes { text -> SeenGeneration? in
        guard place(in: text) == location.vaultFile else { return nil }
        // During a change of the vault's key, the second one is the newest.
        return text.split(separator: 0x0a).compactMap { line in
          parse(UnsafeRawBufferPointer(rebasing: line), from: 0)?.seen
        }.last
      }
      if let seen { all.append((String(name.dropLast(fileExtension.count)), seen)) }
    }
    return all
  }

  /// The known UUIDs of vaults seen on this machine.
  static func uuids(in stateFolder: String) -> [String] {
    guard let folder = try? Folder(opening: stateFolder), let names = try? folder.names(where: isFileName)
    else {
      return []
    }
    return names.map { String($0.dropLast(fileExtension.utf8.count)) }.filter(isUUID)
  }

  private static func place(in text: UnsafeRawBufferPointer) -> String? {
    guard text.last == 0x0a else { return nil }
    let last = text.dropLast().split(separator: 0x0a, omittingEmptySubsequences: false).last ?? []
    guard last.starts(with: placeMark.utf8) else { return nil }
    return String(validating: last.dropFirst(placeMark.utf8.count), as: UTF8.self)
  }

  /// Whether the last line names this path, or the path can't be noted.
  private static func isPlace(_ path: String, in text: UnsafeRawBufferPointer) -> Bool {
    let line = placeLine(path)
    return line.isEmpty
      || text.count > line.count && text[text.count - line.count - 1] == 0x0a
        && text.suffix(line.count).elementsEqual(line)
  }

  private static func placeLine(_ path: String) -> [UInt8] {
    if path.utf8.count > pathLimit || path.utf8.contains(0x0a) { return [] }
    return Array(placeMark.utf8) + path.utf8 + [0x0a]
  }

  /// The number and the MAC of the line at `start`, and where its tag begins; `nil` if the line has another form.
  /// Parsed by hand, because every answer takes this path.
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

  init(number: Int64, headerMAC: [UInt8]) {
    self.init(number: number, mac: hexadecimalDigits(headerMAC))
  }

  /// The generation's file among the earlier states.
  var fileName: String { "\(number)-\(String(decoding: mac.prefix(8), as: UTF8.self)).age" }

  private init(number: Int64, mac: [UInt8]) {
    self.number = number
    self.mac = mac
  }

  /// Remembers the generation after an earlier note: a loss of power can only lose the detection of a rollback.
  func remember(of uuid: String, _ key: VaultKey, at location: VaultLocation) throws(KeychainError) {
    try Self.write(line(key), of: uuid, at: location)
  }

  func rememberFirst(
    of uuid: String, _ key: VaultKey, at location: VaultLocation
  ) throws(KeychainError) -> Durability {
    let folder = try Folder(creating: location.stateFolder)
    return try (line(key) + Self.placeLine(location.vaultFile)).lendingBytes {
      (bytes) throws(KeychainError) in
      try folder.replace(Self.fileName(uuid), with: bytes)
    }
  }

  /// Remembers the generation beside the one before, with another key. The one in the vault's place is the newest.
  func remember(
    of uuid: String, _ key: VaultKey, at location: VaultLocation, besides former: SeenGeneration,
    _ formerKey: VaultKey
  ) throws(KeychainError) {
    try Self.write(former.line(formerKey) + line(key), of: uuid, at: location)
  }

  private static func write(
    _ lines: [UInt8], of uuid: String, at location: VaultLocation
  ) throws(KeychainError) {
    let folder = try Folder(creating: location.stateFolder)
    try (lines + placeLine(location.vaultFile)).lendingBytes { (bytes) throws(KeychainError) in
      try folder.replaceForNow(fileName(uuid), with: bytes)
    }
  }

  private func line(_ key: VaultKey) -> [UInt8] {
    Array("\(number) ".utf8) + mac + [0x20] + tag(key) + [0x0a]
  }

  private func tag(_ key: VaultKey) -> [UInt8] {
    hexadecimalDigits(key.authenticate(Array("seen \(number) ".utf8) + mac))
  }
}
