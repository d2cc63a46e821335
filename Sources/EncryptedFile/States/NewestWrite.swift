import Age
import Bytes
import Glibc
import Keychain
import PrivateFiles

/// The last generation of a vault that this machine wrote: a second name of its file, beside it.
///
/// A sync program looks at the vault before it puts another machine's file in its place. What is written between the two
/// has no other name left then, and nobody has seen it.
struct NewestWrite {
  /// What the file is called in the vault's folder.
  let name: String
  let snapshot: VaultSnapshot

  /// Puts the file that has that name now among the earlier states, unless a change begins with it or comes from it.
  /// Where that can't be told, because it can't be read or is of another key, it is kept as well.
  ///
  /// - Parameters:
  ///   - before: the file that the change began with.
  ///   - head: the first line of what the change writes.
  ///   - name: what it is called there; `nil` where nobody has taken it in.
  ///   - isKnown: whether it is one that never got into the vault's place, or an earlier state after all. Asked last, for
  ///     that takes opening files.
  /// - Returns: the path that it has then, where nobody has taken it in.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``; then nothing may be written.
  static func setAside(
    besides before: FileStatus?, _ head: VaultHead, as name: String?, in folder: borrowing Folder,
    at location: VaultLocation, unless isKnown: () -> Bool = { false }
  ) throws(KeychainError) -> String? {
    if let before, let status = try? folder.status(of: location.newestWriteName),
      status.isSameFile(as: before)
    {
      return nil
    }
    if name == nil, let mac = mac(of: location.newestWriteName, in: folder), head.comes(from: mac) {
      return nil
    }
    if try !folder.contains(location.newestWriteName) { return nil }
    if name == nil, isKnown() { return nil }
    let generations = try Generations(creatingIn: folder)
    let kept = name ?? Generations.unmergedName()
    try generations.keep(location.newestWriteName, in: folder, as: kept)
    return name == nil ? folder.path(of: Generations.folderName + "/" + kept) : nil
  }

  /// Takes the name away where what is in the vault's place comes from that write: then it is there. Needs the lock.
  static func forget(
    knownTo current: VaultSnapshot, in folder: borrowing Folder, at location: VaultLocation
  ) {
    if let mac = mac(of: location.newestWriteName, in: folder), current.first.head.comes(from: mac) {
      unlinkat(folder.descriptor, location.newestWriteName, 0)
    }
  }

  /// Removes the last writes that a change comes from, as other machines', or as this one's of when its folder or its
  /// name were others.
  static func forgetAncestors(
    of head: VaultHead, in folder: borrowing Folder, at location: VaultLocation
  ) {
    let own = location.newestWriteName
    for name in (try? names(in: folder)) ?? [] where name != own {
      if let mac = mac(of: name, in: folder), head.comes(from: mac) { unlinkat(folder.descriptor, name, 0) }
    }
  }

  /// Has one that a person has had taken in be an earlier state like any other: what its number is too low for is noted
  /// nowhere.
  static func settle(_ merged: VaultSnapshot, in folder: borrowing Folder) throws(KeychainError) {
    for name in try names(in: folder) where mac(of: name, in: folder) == merged.mac {
      try Generations(creatingIn: folder).take(name, from: folder, as: merged.generation.fileName)
    }
  }

  /// Gives a file that name before it gets into the vault's place. Where there can be no link it is a copy. Failing to
  /// is no reason not to write.
  static func keep(_ name: String, in folder: borrowing Folder, at location: VaultLocation) {
    location.nameMachine()
    let fileName = location.newestWriteName
    // The former one stays until this one is there.
    let temporary = ".vault.age.\(randomHexadecimal(bytes: 8)).tmp"
    if linkat(folder.descriptor, name, folder.descriptor, temporary, 0) == 0,
      renameat(folder.descriptor, temporary, folder.descriptor, fileName) == 0
    {
      return
    }
    guard let contents = try? folder.file(name)?.contents(limit: VaultBounds.file) else { return }
    try? contents.withUnsafeBytes { (bytes) throws(KeychainError) in
      try folder.replace(fileName, with: bytes, isLasting: false)
    }
  }

  /// What such a file is to the generation in the vault's place.
  private enum Finding {
    /// It is that generation or known to it, it isn't there, or nothing of the vault.
    case known
    /// The generation doesn't come from it.
    case missed(VaultSnapshot)
    /// It can't be told whether the generation comes from it.
    case undecided
  }

  /// Looks at the last writes that are in the folder, where another generation is in the vault's place.
  ///
  /// All of them, and not this machine's alone: a folder that has moved or is reached by another path, or a state that was
  /// lost, gives a machine another name.
  ///
  /// - Parameters:
  ///   - current: that generation.
  ///   - head: its first line, or that of what will come next.
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if one can't be read just now.
  /// - Returns: those that it doesn't come from.
  static func findMissed(
    by current: VaultSnapshot, _ head: VaultHead, in folder: borrowing Folder, _ unlocking: Unlocking
  ) throws(KeychainError) -> [NewestWrite] {
    var missed: [NewestWrite] = []
    for name in try names(in: folder) {
      if case .missed(let write) = try look(at: name, besides: current, head, in: folder, unlocking) {
        missed.append(NewestWrite(name: name, snapshot: write))
      }
    }
    return missed
  }

  /// The path of one of which it can't be told whether it was taken in; `nil` if there is none.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if one can't be read just now.
  static func undecided(
    besides current: VaultSnapshot, _ head: VaultHead, in folder: borrowing Folder, _ unlocking: Unlocking
  ) throws(KeychainError) -> String? {
    let uuid = current.stanzas.uuid
    for name in try names(in: folder) {
      if case .undecided = try look(at: name, besides: current, head, in: folder, unlocking),
        !isAncestor(name, of: head, in: folder, uuid: uuid, current.key, unlocking)
      {
        return folder.path(of: name)
      }
    }
    return nil
  }

  private static func names(in folder: borrowing Folder) throws(KeychainError) -> [String] {
    try folder.names(where: VaultLocation.isNewestWriteName).sorted()
  }

  private static func look(
    at name: String, besides current: VaultSnapshot, _ head: VaultHead, in folder: borrowing Folder,
    _ unlocking: Unlocking
  ) throws(KeychainError) -> Finding {
    let write: VaultSnapshot
    do throws(KeychainError) {
      guard let file = try folder.file(name), !file.status.isSameFile(as: current.status) else {
        return .known
      }
      let mac = try VaultSnapshot.readHeader(file).0.mac
      if mac == current.mac || head.comes(from: mac) || current.first.head.comes(from: mac) { return .known }
      write = try VaultSnapshot(file, uuid: current.stanzas.uuid, with: current.key, unlocking)
    } catch {
      switch error {
      // What can't be read just now is not nothing.
      case .system: throw error
      case .unsafeFile: return .undecided
      default: return .known
      }
    }
    if write.first.head.comes(from: current.mac) {
      // What the vault was put back to is earlier, or this one never got into its place.
      if joins(write, current, unlocking) { return .missed(write) }
      return name == unlocking.location.newestWriteName ? .known : .undecided
    }
    guard write.first.head.tellsWhetherItComes(from: current.generation.number),
      current.first.head.tellsWhetherItComes(from: write.generation.number)
    else { return .undecided }
    return .missed(write)
  }

  /// Whether it comes from what is in the vault's place and from what was seen last, which is another one: a writer that
  /// took in what had been replaced was killed before it got it into place.
  private static func joins(
    _ write: VaultSnapshot, _ current: VaultSnapshot, _ unlocking: Unlocking
  ) -> Bool {
    let state = StateFolder(unlocking.location)
    guard
      case .seen(let seen) = try? SeenGeneration.remembered(
        of: current.stanzas.uuid, current.key, in: state
      ).memory
    else { return false }
    return seen != current.generation && seen != write.generation && write.first.head.past.contains(seen)
  }

  /// Whether a change comes from such a file by earlier states that are kept. Versions that don't know `past` note only the last
  /// one that theirs come from.
  static func isAncestor(
    _ name: String, of head: VaultHead, in folder: borrowing Folder, uuid: String, _ key: VaultKey,
    _ unlocking: Unlocking
  ) -> Bool {
    guard let own = mac(of: name, in: folder),
      let generations = try? Generations(in: folder.path)
    else { return false }
    var previous = head.previous
    for _ in 0..<Past.limit {
      if previous == own { return true }
      guard let file = generations.file(of: previous),
        let earlier = try? VaultSnapshot(file, uuid: uuid, with: key, unlocking)
      else { return false }
      previous = earlier.first.head.previous
    }
    return false
  }

  /// Whether it is one that a killed writer never got into the vault's place: it comes from what is there, or is noted
  /// beside it, as while the vault's key is being changed.
  static func isUnfinished(
    besides mac: [UInt8], in folder: borrowing Folder, uuid: String, _ key: VaultKey, _ unlocking: Unlocking
  ) -> Bool {
    if let opened = open(in: folder, uuid: uuid, with: key, unlocking) {
      return opened.first.head.comes(from: mac)
    }
    guard let own = self.mac(of: unlocking.location.newestWriteName, in: folder) else { return false }
    return SeenGeneration.isBeingReplaced(by: own, of: uuid, in: StateFolder(unlocking.location))
  }

  /// The MAC of its header; `nil` if there is none.
  static func mac(of name: String, in folder: borrowing Folder) -> [UInt8]? {
    guard let file = try? folder.file(name) else { return nil }
    return try? VaultSnapshot.readHeader(file).0.mac
  }

  /// Opens it with a vault's key; `nil` if there is none, or if it is damaged or another key's.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` and ``KeychainError/unsafeFile(path:_:)`` if it can't be
  ///   read now: it may be the only one that has what was stored last.
  static func openIfReadable(
    in folder: borrowing Folder, uuid: String, with key: VaultKey, _ unlocking: Unlocking
  ) throws(KeychainError) -> VaultSnapshot? {
    guard let file = try folder.file(unlocking.location.newestWriteName) else { return nil }
    do throws(KeychainError) {
      return try VaultSnapshot(file, uuid: uuid, with: key, unlocking)
    } catch {
      if case .system = error { throw error }
      return nil
    }
  }

  /// Opens it with a vault's key; `nil` if there is none, or if that can't be done.
  static func open(
    in folder: borrowing Folder, uuid: String, with key: VaultKey, _ unlocking: Unlocking
  ) -> VaultSnapshot? {
    (try? openIfReadable(in: folder, uuid: uuid, with: key, unlocking)) ?? nil
  }
}

extension Generation {
  /// A write that is no earlier generation yet.
  init(_ write: VaultSnapshot) {
    self.init(
      number: write.first.head.generation, written: write.first.head.written, size: write.status.size,
      path: write.path, name: write.generation.fileName)
  }
}
