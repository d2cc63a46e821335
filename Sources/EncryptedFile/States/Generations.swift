import Age
import Bytes
import CLinux
import Glibc
public import Keychain
import PrivateFiles

/// An earlier, kept state of a vault.
public struct Generation: Hashable, Sendable {
  /// The number of the write, from 1. Copies that diverged may have the same number.
  public let number: Int64
  /// When it was written.
  public let written: Timestamp
  /// The file's size in bytes.
  public let size: Int
  /// The file's path.
  public let path: String

  let name: String
}

/// The folder of a vault's earlier states: the last five, and the last one of each of the last seven days with writes.
///
/// A file is named `NUMBER-MAC.age`, where MAC is the beginning of the header's MAC. It is a hard link to the former
/// `vault.age`, so keeping it costs nothing.
struct Generations: ~Copyable {
  static let folderName = "generations"
  static let keptLast = 5
  static let keptDays = 7

  let folder: Folder

  init?(in vaultFolder: String) throws(KeychainError) {
    guard let folder = try Folder(opening: vaultFolder + "/" + Self.folderName) else { return nil }
    self.folder = folder
  }

  init(creatingIn vaultFolder: borrowing Folder) throws(KeychainError) {
    folder = try vaultFolder.folder(creating: Self.folderName)
  }

  /// The name of a replaced, unreadable file.
  static func unreadableName() -> String { "\(unreadablePrefix)\(newDigits().suffix(8)).age" }
  private static let unreadablePrefix = "unreadable-"

  /// The name of an unmerged write of this machine: replaced, or broken off before it was in the vault's place.
  static func unmergedName(isUnfinished: Bool) -> String {
    "\(isUnfinished ? unfinishedPrefix : unmergedPrefix)\(newDigits().suffix(8)).age"
  }
  private static let unmergedPrefix = "unmerged-"
  private static let unfinishedPrefix = unmergedPrefix + "unfinished-"

  private static func isUnmerged(_ name: String) -> Bool {
    isName(name, after: unmergedPrefix) || isName(name, after: unfinishedPrefix)
  }

  private static func isUnreadable(_ name: String) -> Bool { isName(name, after: unreadablePrefix) }

  private static func isName(_ name: String, after prefix: String) -> Bool {
    name.hasPrefix(prefix) && isMark(name.dropFirst(prefix.utf8.count))
  }

  /// Whether this ends a name here: eight hexadecimal digits, and `.age`.
  private static func isMark(_ end: Substring) -> Bool {
    end.utf8.count == 12 && end.hasSuffix(".age") && beginsWithDigits(end)
  }

  private static func beginsWithDigits(_ end: Substring) -> Bool {
    end.utf8.count >= 8 && end.utf8.prefix(8).allSatisfy { hexadecimalValue($0) != nil }
  }

  /// Whether this program gives a file here such a name, or one with the same beginning up to its eight digits:
  /// programs that synchronize the folder put words of their own between these and the suffix. Others are a person's
  /// own.
  static func isOwnName(_ name: String) -> Bool {
    if Folder.isTemporary(name) { return true }
    for prefix in [unfinishedPrefix, unmergedPrefix, unreadablePrefix] where name.hasPrefix(prefix) {
      if beginsWithDigits(name.dropFirst(prefix.utf8.count)) { return true }
    }
    let number = name.prefix { $0 != "-" }
    return number.utf8.allSatisfy { 0x30...0x39 ~= $0 } && !number.isEmpty
      && beginsWithDigits(name.dropFirst(number.count + 1))
  }

  /// Whether the file at that path is a broken-off write.
  static func isUnfinished(_ path: String) -> Bool {
    path.utf8.split(separator: 0x2f).last.map { String(Substring($0)).hasPrefix(unfinishedPrefix) } ?? false
  }

  /// Whether a broken-off write has this header MAC.
  func hasUnfinished(_ mac: [UInt8]) throws(KeychainError) -> Bool {
    try folder.names().contains { $0.hasPrefix(Self.unfinishedPrefix) && folder.headerMAC(of: $0) == mac }
  }

  /// The names of writes that nobody has merged, as far as the head tells.
  func unmerged(besides head: VaultHead) throws(KeychainError) -> [String] {
    try folder.names().filter { name in
      Self.isUnmerged(name) && folder.headerMAC(of: name).map(head.comes) != true
    }.sorted()
  }

  /// Keeps a file of the vault's folder under a generation's name.
  ///
  /// - Parameter status: the file that is meant. One that has replaced it becomes `displaced` in the vault's folder.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  func keep(
    _ file: String, in vaultFolder: borrowing Folder, _ status: FileStatus, as name: String, displaced: String
  ) throws(KeychainError) {
    if linkat(vaultFolder.descriptor, file, folder.descriptor, name, 0) != 0 {
      switch errno {
      case EEXIST:
        // Perhaps from a writer that was killed before it had put its own file in place.
        if try folder.status(of: name).isSameFile(as: status) { return try folder.synchronize().required() }
        if unlinkat(folder.descriptor, name, 0) == 0,
          linkat(vaultFolder.descriptor, file, folder.descriptor, name, 0) == 0
        {
          break
        }
        throw .system(operation: "keep", path: folder.path(of: name), errno: errno)
      case EPERM, EXDEV, EOPNOTSUPP, ENOSYS, EMLINK:
        return try copy(file, in: vaultFolder, as: name)
      default:
        throw .system(operation: "keep", path: folder.path(of: name), errno: errno)
      }
    }
    if try folder.status(of: name).isSameFile(as: status) {
      // The file is about to lose its other name.
      return try folder.synchronize().required()
    }
    // A sync program has since put another copy there, which nobody has seen yet.
    if renameat(folder.descriptor, name, vaultFolder.descriptor, displaced) != 0 {
      throw .system(operation: "keep", path: vaultFolder.path(of: displaced), errno: errno)
    }
  }

  /// Keeps a file of another folder, which also stays there.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  func keep(_ file: String, in other: borrowing Folder, as name: String) throws(KeychainError) {
    if linkat(other.descriptor, file, folder.descriptor, name, 0) != 0, errno != EEXIST {
      try copy(file, in: other, as: name)
    }
    // It is kept for the full time from now on, however old it is.
    if Self.isUnmerged(name) { try folder.setDate(of: name) }
  }

  /// Makes an unmerged write, now merged, an ordinary earlier generation.
  func settle(_ merged: VaultSnapshot) throws(KeychainError) {
    for name in try folder.names()
    where Self.isUnmerged(name) && folder.headerMAC(of: name) == merged.mac {
      try folder.setDate(merged.first.head.written, of: name)
      try take(name, from: folder, as: merged.generation.fileName)
    }
  }

  func hasOne(of mac: [UInt8]) throws(KeychainError) -> Bool {
    let ending = "-\(Past.start(of: mac)).age"
    return try folder.names().contains { $0.hasSuffix(ending) && Self.number(of: $0) != nil }
  }

  func take(_ file: String, from vaultFolder: borrowing Folder, as name: String) throws(KeychainError) {
    if renameat(vaultFolder.descriptor, file, folder.descriptor, name) != 0 {
      throw .system(operation: "put away", path: vaultFolder.path(of: file), errno: errno)
    }
  }

  private func copy(
    _ file: String, in vaultFolder: borrowing Folder, as name: String
  ) throws(KeychainError) {
    guard let source = try vaultFolder.file(file) else {
      throw .missing(path: vaultFolder.path(of: file))
    }
    let contents = try source.contents(limit: VaultBounds.file)
    let durability = try contents.withUnsafeBytes { (bytes) throws(KeychainError) in
      try folder.replace(name, with: bytes)
    }
    // The file is about to lose its other name.
    try durability.required()
    try folder.copyDate(of: source, to: name)
  }

  /// How far a file name's number may be ahead of a proven one. Anyone with write access to the folder can make a
  /// name, and numbers must not run out.
  private static let credibleLead: Int64 = 1 << 20

  /// The highest number of a generation by the files' names, or else `proven`.
  ///
  /// - Parameter proven: the number of a state that the vault's key has opened, at least 0.
  func latestNumber(besides proven: Int64) throws(KeychainError) -> Int64 {
    try folder.names().compactMap(Self.number).filter { $0 - proven <= Self.credibleLead }.reduce(proven, max)
  }

  /// The generations, newest first.
  func list() throws(KeychainError) -> [Generation] {
    var found: [Generation] = []
    for name in try folder.names() {
      guard let number = Self.number(of: name), let status = try status(of: name) else { continue }
      found.append(
        Generation(
          number: number, written: status.modificationDate, size: status.size, path: folder.path(of: name),
          name: name))
    }
    return found.sorted { ($0.number, $0.written) > ($1.number, $1.written) }
  }

  /// `nil` if another process has removed the file since the folder was listed.
  private func status(of name: String) throws(KeychainError) -> FileStatus? {
    do throws(KeychainError) {
      return try folder.status(of: name)
    } catch .system(_, _, errno: ENOENT) {
      return nil
    }
  }

  /// - Throws: ``KeychainError/missing(path:)``; ``KeychainError/damaged(path:detail:)`` if it is another
  ///   generation: cp wrote over the vault while a killed writer had left this as a second name of the vault's file.
  func file(_ generation: Generation) throws(KeychainError) -> OpenFile {
    guard let file = try folder.file(generation.name) else { throw .missing(path: generation.path) }
    if let mac = try? VaultSnapshot.readHeader(file).0.mac,
      !generation.name.hasSuffix("-\(Past.start(of: mac)).age")
    {
      throw .damaged(path: generation.path, detail: "it is not the state that its name says")
    }
    return file
  }

  /// Removes the generations that need not be kept, and all those of a former key. Needs the vault's lock.
  ///
  /// - Parameters:
  ///   - keyed: the first generation with the present key; `nil` if unknown.
  ///   - now: the time by which an unmerged write is old enough.
  func prune(keyedSince keyed: Int64?, at now: Timestamp) throws(KeychainError) {
    var all = try list()
    for name in try folder.names() where Self.isUnmerged(name) {
      // Kept as long as deleted items.
      if let status = try? folder.status(of: name),
        now.milliseconds - status.modificationDate.milliseconds > RetiredRecord.retention
      {
        unlinkat(folder.descriptor, name, 0)
      }
    }
    if let keyed, all.contains(where: { $0.number < keyed }) {
      for generation in all where generation.number < keyed {
        unlinkat(folder.descriptor, generation.name, 0)
      }
      for name in try folder.names() where Self.isUnreadable(name) {
        unlinkat(folder.descriptor, name, 0)
      }
      all.removeAll { $0.number < keyed }
    }
    if all.count <= Self.keptLast { return }
    var days: Set<Int64> = []
    for (position, generation) in all.enumerated() {
      let isNewOfItsDay =
        days.count < Self.keptDays && days.insert(generation.written.seconds / 86_400).inserted
      if position >= Self.keptLast, !isNewOfItsDay { unlinkat(folder.descriptor, generation.name, 0) }
    }
  }

  /// Removes all generations, continuing after one that can't be removed. Other people's files there stay.
  ///
  /// - Returns: whether they stay away after a loss of power.
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if one remains.
  func purge() throws(KeychainError) -> Durability {
    var failure: KeychainError?
    for name in try folder.names() where Self.isOwnName(name) {
      if unlinkat(folder.descriptor, name, 0) != 0, errno != ENOENT {
        failure = failure ?? .system(operation: "remove", path: folder.path(of: name), errno: errno)
      }
    }
    let durability = folder.synchronize()
    if let failure { throw failure }
    return durability
  }

  private static func number(of name: String) -> Int64? {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, isMark(parts[1]), parts[0].first != "+" else { return nil }
    // Digits alone, because no number is negative.
    return Int64(parts[0])
  }
}
