import Age
import Bytes
import Glibc
import Keychain
import PrivateFiles

/// The last generation of a vault that a machine wrote: a second name of its file, beside it. Each machine has a name of
/// its own for that.
///
/// A sync program looks at the vault before it puts another machine's file in its place. What is written between the two
/// has no other name left then, and nobody has seen it.
struct NewestWrite {
  /// What the file is called in the vault's folder.
  let name: String
  let snapshot: VaultSnapshot

  /// The names of all that are in a folder.
  static func names(in folder: borrowing Folder) throws(KeychainError) -> [String] {
    try folder.names(where: VaultLocation.isNewestWriteName).sorted()
  }

  /// Puts the file of that name among the earlier states.
  ///
  /// - Parameter kept: what it is called there; `nil` where nobody has taken it in.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``; then nothing may be written.
  /// - Returns: the path that it has then, where nobody has taken it in.
  static func setAside(
    _ name: String, as kept: String?, in folder: borrowing Folder
  ) throws(KeychainError) -> String? {
    let generations = try Generations(creatingIn: folder)
    if let kept {
      try generations.keep(name, in: folder, as: kept)
      return nil
    }
    let unmerged = Generations.unmergedName()
    try generations.keep(name, in: folder, as: unmerged)
    return folder.path(of: Generations.folderName + "/" + unmerged)
  }

  /// Removes the last writes that a generation comes from: what they name is in the vault now. Needs the lock.
  ///
  /// - Parameters:
  ///   - head: the generation's first line.
  ///   - putAside: those that go as well, for they have been put among the earlier states.
  ///   - newest: the one that names that generation itself, if it was written here.
  static func forget(
    knownTo head: VaultHead, _ putAside: [String] = [], besides newest: String? = nil,
    in folder: borrowing Folder
  ) {
    for name in (try? names(in: folder)) ?? [] where name != newest {
      if putAside.contains(name) || folder.headerMAC(of: name).map(head.comes) == true {
        unlinkat(folder.descriptor, name, 0)
      }
    }
  }

  /// Has one that a person has had taken in be an earlier state like any other: what its number is too low for is noted
  /// nowhere.
  static func settle(_ merged: VaultSnapshot, in folder: borrowing Folder) throws(KeychainError) {
    for name in try names(in: folder) where folder.headerMAC(of: name) == merged.mac {
      try Generations(creatingIn: folder).take(name, from: folder, as: merged.generation.fileName)
    }
  }

  /// Gives a file the name `newest` before it gets into the vault's place. Where there can be no link it is a copy. Failing
  /// to is no reason not to write.
  static func keep(_ name: String, as newest: String, in folder: borrowing Folder) {
    // The former one stays until this one is there.
    let temporary = ".vault.age.\(randomHexadecimal(bytes: 8)).tmp"
    if linkat(folder.descriptor, name, folder.descriptor, temporary, 0) == 0,
      renameat(folder.descriptor, temporary, folder.descriptor, newest) == 0
    {
      return
    }
    guard let contents = try? folder.file(name)?.contents(limit: VaultBounds.file) else { return }
    try? contents.withUnsafeBytes { (bytes) throws(KeychainError) in
      try folder.replace(newest, with: bytes, isLasting: false)
    }
  }

  /// What such a file is to the generation in the vault's place.
  enum Finding {
    /// It is that generation or known to it, or it isn't there any more.
    case known
    /// The generation doesn't come from it.
    case missed(VaultSnapshot)
    /// It can't be told whether the generation comes from it.
    case undecided
    /// It comes from that generation: another machine's, which is still on its way, or one that a killed writer never got
    /// into place, or the vault was put back to what was before.
    case ahead
    /// It is of the same vault, and of another key than that has now.
    case otherKey
    /// It is damaged, or of another vault.
    case notOpened
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

  /// The path of one that may have what is in no generation that is known of, and that the vault's key opens; `nil` if
  /// there is none.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if one can't be read just now.
  static func notTakenIn(
    besides current: VaultSnapshot, _ head: VaultHead, own: String, in folder: borrowing Folder,
    _ unlocking: Unlocking
  ) throws(KeychainError) -> String? {
    for name in try names(in: folder) {
      switch try look(at: name, besides: current, head, in: folder, unlocking) {
      case .known, .missed, .otherKey, .notOpened: continue
      case .ahead: if name == own { continue }
      case .undecided: break
      }
      return folder.path(of: name)
    }
    return nil
  }

  /// What the file of that name is to what is in the vault's place.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if it can't be read just now.
  static func look(
    at name: String, besides current: VaultSnapshot, _ head: VaultHead, in folder: borrowing Folder,
    _ unlocking: Unlocking
  ) throws(KeychainError) -> Finding {
    let write: VaultSnapshot
    do throws(KeychainError) {
      guard let file = try folder.file(name, isTightened: true),
        !file.status.isSameFile(as: current.status)
      else {
        return .known
      }
      let mac = try VaultSnapshot.readHeader(file).0.mac
      if mac == current.mac || head.comes(from: mac) || current.first.head.comes(from: mac) { return .known }
      write = try VaultSnapshot(file, uuid: current.stanzas.uuid, with: current.key, unlocking)
    } catch {
      // What can't be read just now is not nothing.
      switch error {
      case .system: throw error
      // Of a version that may know more than this one, or of another key of this vault: whoever has that can tell.
      case .newerFormat: return .undecided
      default: return folder.vaultUUID(of: name) == current.stanzas.uuid ? .otherKey : .notOpened
      }
    }
    if write.first.head.comes(from: current.mac) {
      return joins(write, current, unlocking) ? .missed(write) : .ahead
    }
    if write.first.head.tellsWhetherItComes(from: current.generation.number),
      current.first.head.tellsWhetherItComes(from: write.generation.number)
    {
      return .missed(write)
    }
    let isAncestor = isAncestor(
      mac: write.mac, of: head, in: folder, uuid: current.stanzas.uuid, current.key, unlocking)
    return isAncestor ? .known : .undecided
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

  /// Whether a change comes from a generation with a header of that MAC by earlier states that are kept. Versions that
  /// don't know `past` note only the last one that theirs come from.
  private static func isAncestor(
    mac: [UInt8], of head: VaultHead, in folder: borrowing Folder, uuid: String, _ key: VaultKey,
    _ unlocking: Unlocking
  ) -> Bool {
    guard let generations = try? Generations(in: folder.path) else { return false }
    var previous = head.previous
    for _ in 0..<Past.limit {
      if previous == mac { return true }
      guard let file = generations.file(of: previous),
        let earlier = try? VaultSnapshot(file, uuid: uuid, with: key, unlocking)
      else { return false }
      previous = earlier.first.head.previous
    }
    return false
  }

  /// Whether it is one that a killed writer never got into the vault's place while he changed the vault's key.
  static func isBeingReplaced(
    _ name: String, of uuid: String, in folder: borrowing Folder, at location: VaultLocation
  ) -> Bool {
    guard let mac = folder.headerMAC(of: name) else { return false }
    return SeenGeneration.isBeingReplaced(by: mac, of: uuid, in: StateFolder(location))
  }

  /// Opens one with a vault's key; `nil` if it isn't there, or if it is damaged or another key's.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` and ``KeychainError/unsafeFile(path:_:)`` if it can't be
  ///   read now: it may be the only one that has what was stored last.
  static func openIfReadable(
    _ name: String, in folder: borrowing Folder, uuid: String, with key: VaultKey, _ unlocking: Unlocking
  ) throws(KeychainError) -> VaultSnapshot? {
    guard let file = try folder.file(name, isTightened: true) else { return nil }
    do throws(KeychainError) {
      return try VaultSnapshot(file, uuid: uuid, with: key, unlocking)
    } catch {
      if case .system = error { throw error }
      return nil
    }
  }

  /// Opens all of them that a vault's key opens, the newest first.
  ///
  /// - Throws: as ``openIfReadable(_:in:uuid:with:_:)`` does.
  static func openAll(
    in folder: borrowing Folder, uuid: String, with key: VaultKey, _ unlocking: Unlocking
  ) throws(KeychainError) -> [NewestWrite] {
    var writes: [NewestWrite] = []
    for name in try names(in: folder) {
      if let write = try openIfReadable(name, in: folder, uuid: uuid, with: key, unlocking) {
        writes.append(NewestWrite(name: name, snapshot: write))
      }
    }
    return writes.sorted { $0.snapshot.generation.number > $1.snapshot.generation.number }
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
