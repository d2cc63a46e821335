import Age
import Bytes
import Glibc
import Keychain
import PrivateFiles

/// A machine's last write: a copy of the vault's file, beside the vault, under a name of the machine's own.
///
/// A sync program looks at the vault before it replaces it with another machine's file. Without the copy, a write
/// between these two steps would be lost before anybody has seen it. It is no second name of the file (a hard link),
/// because cp and scp write into the existing file.
struct NewestWrite {
  let name: String
  let snapshot: VaultSnapshot
  /// Whether it is this machine's own and was broken off: it comes from the state last seen by this machine, and so
  /// was never in the vault's place.
  var isUnfinished = false

  static func names(in folder: borrowing Folder) throws(KeychainError) -> [String] {
    try folder.names(where: VaultLocation.isNewestWriteName).sorted()
  }

  /// Keeps the file of that name among the earlier states.
  ///
  /// - Parameters:
  ///   - kept: its name there; `nil` if nobody has merged it.
  ///   - isUnfinished: whether it was broken off before it was in the vault's place.
  /// - Returns: its new path if nobody has merged it.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``; then nothing may be written.
  static func setAside(
    _ name: String, as kept: String?, isUnfinished: Bool, in folder: borrowing Folder
  ) throws(KeychainError) -> String? {
    let generations = try Generations(creatingIn: folder)
    if let kept {
      try generations.keep(name, in: folder, as: kept)
      return nil
    }
    let unmerged = Generations.unmergedName(isUnfinished: isUnfinished)
    try generations.keep(name, in: folder, as: unmerged)
    return folder.path(of: Generations.folderName + "/" + unmerged)
  }

  /// Removes the last writes that a generation comes from: the vault has their contents now. Needs the lock.
  ///
  /// - Parameters:
  ///   - head: the generation's first line.
  ///   - putAside: names to remove as well, because they were kept among the earlier states.
  ///   - newest: the name of that generation itself, if it was written here; it is not removed.
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

  /// Makes a write that a person has had merged an ordinary earlier state. The vault may not note a low number.
  static func settle(_ merged: VaultSnapshot, in folder: borrowing Folder) throws(KeychainError) {
    for name in try names(in: folder) where folder.headerMAC(of: name) == merged.mac {
      try Generations(creatingIn: folder).take(name, from: folder, as: merged.generation.fileName)
    }
  }

  /// Copies a file before it gets into the vault's place. If that fails, for example on a full disk, the file itself
  /// gets the name as well, which helps against sync programs, but not against cp.
  ///
  /// - Parameters:
  ///   - name: the file's present name.
  ///   - file: the file itself.
  /// - Returns: why it could not be copied, which must not prevent the write.
  static func keep(
    _ name: String, _ file: VaultSnapshot, as newest: String, in folder: borrowing Folder
  ) -> KeychainError? {
    do throws(KeychainError) {
      try folder.replaceWithoutWaiting(newest) { file.copy(to: $0) }
      return nil
    } catch {
      let temporary = ".vault.age.\(newDigits()).tmp"
      defer { unlinkat(folder.descriptor, temporary, 0) }
      if linkat(folder.descriptor, name, folder.descriptor, temporary, 0) == 0 {
        renameat(folder.descriptor, temporary, folder.descriptor, newest)
      }
      return error
    }
  }

  /// How such a file relates to the generation in the vault's place.
  enum Finding {
    /// It is that generation or an ancestor of it, or it no longer exists.
    case known
    /// The generation doesn't come from it. If it is this machine's own, and comes from the state last seen by this
    /// machine, it `isUnfinished`.
    case missed(VaultSnapshot, isUnfinished: Bool)
    /// It is unknown whether the generation comes from it.
    case undecided
    /// It comes from that generation: another machine's vault is still on its way, a killed writer never got it into
    /// place, or the vault was restored to an earlier state. If it is this machine's own, and this machine has noted
    /// that it saw another one last, it `isUnfinished`.
    case ahead(isUnfinished: Bool)
    /// It belongs to another key of the same vault.
    case otherKey
    /// It is damaged or belongs to another vault.
    case notOpened
  }

  /// Finds the last writes in the folder that the generation in the vault's place doesn't come from.
  ///
  /// This looks at other machines' writes, too: a machine gets another name if the folder has moved or is reached by
  /// another path, or if the machine's state was lost.
  ///
  /// - Parameters:
  ///   - current: the generation in the vault's place.
  ///   - head: its first line, or that of the next generation.
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if one can't be read just now.
  static func findMissed(
    by current: VaultSnapshot, _ head: VaultHead, in folder: borrowing Folder, _ unlocking: Unlocking
  ) throws(KeychainError) -> [NewestWrite] {
    var missed: [NewestWrite] = []
    for name in try names(in: folder) {
      let finding = try look(at: name, besides: current, head, in: folder, unlocking)
      if case .missed(let write, let isUnfinished) = finding {
        missed.append(NewestWrite(name: name, snapshot: write, isUnfinished: isUnfinished))
      }
    }
    return missed
  }

  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if the file can't be read just now.
  static func look(
    at name: String, besides current: VaultSnapshot, _ head: VaultHead, in folder: borrowing Folder,
    _ unlocking: Unlocking
  ) throws(KeychainError) -> Finding {
    let write: VaultSnapshot
    do throws(KeychainError) {
      guard let file = try folder.file(name, isTightened: true) else { return .known }
      let mac = try VaultSnapshot.readHeader(file).0.mac
      if mac == current.mac || head.comes(from: mac) || current.first.head.comes(from: mac) { return .known }
      write = try VaultSnapshot(file, uuid: current.stanzas.uuid, with: current.key, unlocking)
    } catch {
      // A file that can't be read just now must not count as absent.
      switch error {
      case .system: throw error
      // A newer version, or the holder of the vault's other key, may know more.
      case .newerFormat: return .undecided
      default: return folder.vaultUUID(of: name) == current.stanzas.uuid ? .otherKey : .notOpened
      }
    }
    let isOwn = name == unlocking.location.newestWriteName
    if write.first.head.comes(from: current.mac) {
      let seen = seen(current, unlocking)
      if joins(write, current, seen) { return .missed(write, isUnfinished: false) }
      return .ahead(isUnfinished: isOwn && seen != nil && seen != write.generation)
    }
    if write.first.head.past.reaches(current.generation.number),
      current.first.head.past.reaches(write.generation.number)
    {
      let seen = isOwn ? seen(current, unlocking) : nil
      let isUnfinished = seen.map { $0 != write.generation && write.first.head.past.contains($0) } ?? false
      return .missed(write, isUnfinished: isUnfinished)
    }
    return .undecided
  }

  /// Whether the write comes both from the generation in the vault's place and from a different one seen last: a
  /// writer that had merged a replaced write was killed before it got the result into place.
  private static func joins(
    _ write: VaultSnapshot, _ current: VaultSnapshot, _ seen: SeenGeneration?
  ) -> Bool {
    guard let seen else { return false }
    return seen != current.generation && seen != write.generation && write.first.head.past.contains(seen)
  }

  private static func seen(_ current: VaultSnapshot, _ unlocking: Unlocking) -> SeenGeneration? {
    let state = StateFolder(unlocking.location)
    let note = try? SeenGeneration.remembered(of: current.stanzas.uuid, current.key, in: state)
    guard case .seen(let seen)? = note?.memory else { return nil }
    return seen
  }

  /// Whether it is from a killed writer that was changing the vault's key and never got it into the vault's place.
  static func isBeingReplaced(
    _ name: String, of uuid: String, in folder: borrowing Folder, at location: VaultLocation
  ) -> Bool {
    guard let mac = folder.headerMAC(of: name) else { return false }
    return SeenGeneration.isBeingReplaced(by: mac, of: uuid, in: StateFolder(location))
  }

  /// Opens a last write with a vault's key; `nil` if it doesn't exist, is damaged or belongs to another key.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` and ``KeychainError/unsafeFile(path:_:)`` if it can't
  ///   be read now: it alone may have the newest items.
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

  /// All last writes that a vault's key opens, newest first.
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
  /// A write that is not an earlier generation yet.
  init(_ write: VaultSnapshot) {
    self.init(
      number: write.first.head.generation, written: write.first.head.written, size: write.status.size,
      path: write.path, name: write.generation.fileName)
  }
}
