import Age
import Bytes
import Keychain
import PrivateFiles

extension VaultChange {
  /// Merges the copies that a sync program put beside the vault, and returns how many.
  ///
  /// - Parameters:
  ///   - names: the copies to leave alone.
  ///   - onFailure: called with the name and path of each copy that can't be read; it stays in place.
  func mergeCopies(
    except names: Set<String>, onFailure: (_ name: String, _ path: String, KeychainError) -> Void
  ) throws(KeychainError) -> Int {
    guard let key, let stanzas else { return 0 }
    for name in try ConflictCopies.names(in: locked.folder) {
      if names.contains(name) {
        unmerged.append(locked.folder.path(of: name))
        continue
      }
      do throws(KeychainError) {
        guard
          let copy = try ConflictCopies.open(
            name, in: locked.folder, uuid: stanzas.uuid, with: key, unlocking)
        else {
          continue
        }
        try mergeIfItFits(copy)
        mergedCopies.append((name, copy.generation.fileName))
      } catch {
        unmerged.append(locked.folder.path(of: name))
        onFailure(name, locked.folder.path(of: name), error)
      }
    }
    return mergedCopies.count
  }

  /// Merges all of another copy, or nothing.
  ///
  /// - Throws: ``KeychainError/tooLarge(what:limit:)`` if a vault can't hold both. Otherwise somebody with such a
  ///   copy could not even delete anything.
  private func mergeIfItFits(_ copy: VaultSnapshot, isUnfinished: Bool = false) throws(KeychainError) {
    let before = head
    do throws(KeychainError) {
      try undoing { () throws(KeychainError) in
        try merge(copy, isUnfinished: isUnfinished)
        guard let key, let stanzas, lines.byteCount > VaultBounds.plaintext / 2 else { return }
        try settleRetired(at: Timestamp(milliseconds: 0))
        _ = try EncodedVault(lines, head: head, stanzas: stanzas, key: key, path: path)
      }
    } catch {
      head = before
      throw error
    }
  }

  /// Notes that this generation supersedes everything known on this machine, so that nobody merges any of it again.
  func supersede(_ generations: [Generation]) throws(KeychainError) {
    for generation in generations { head.past.insert(generation) }
    guard let key, let stanzas else { return }
    let state = StateFolder(unlocking.location)
    if case .seen(let seen) = try SeenGeneration.remembered(of: stanzas.uuid, key, in: state).memory {
      head.past.insert(seen)
    }
  }

  /// Refuses to go on if something was never merged, because the key or the earlier states are about to be discarded.
  ///
  /// - Parameter alsoUnfinished: whether a write that was broken off counts even with the very same items. Without
  ///   the key, nobody could open it if this is broken off, too.
  /// - Throws: ``KeychainError/unmerged(path:)``.
  func refuseUnmerged(alsoUnfinished: Bool) throws(KeychainError) {
    if let path = unmerged.first { throw .unmerged(path: path) }
    // Without naming this machine, which would be a change.
    let own = unlocking.location.newestWriteName
    for name in try NewestWrite.names(in: locked.folder) where takenIn[name] == nil {
      if !alsoUnfinished, try isUnfinished(name), try isSpent(name, in: locked.folder) {
        spentWrites.insert(name)
        isDirty = true
      } else if try isToBeKept(name, isOwn: name == own, asStatesGo: true) {
        throw .unmerged(path: locked.folder.path(of: name))
      }
    }
    guard let generations = try Generations(in: locked.folder.path) else { return }
    for write in try generations.unmerged(besides: head) {
      if !alsoUnfinished, Generations.isUnfinished(write), try isSpent(write, in: generations.folder) {
        continue
      }
      throw .unmerged(path: generations.folder.path(of: write))
    }
  }

  /// Whether a broken-off write has the same items in use, and comes only from states that the vault comes from. Its
  /// ways in aren't taken, and records out of use are about to be forgotten, so nothing of it would be missed.
  private func isSpent(_ name: String, in folder: borrowing Folder) throws(KeychainError) -> Bool {
    guard let key, let stanzas,
      let write = try NewestWrite.openIfReadable(name, in: folder, uuid: stanzas.uuid, with: key, unlocking),
      write.first.head.past.isWithin(head.past)
    else { return false }
    let theirs = try write.takeAllLines()
    return theirs.inUse.count == lines.inUse.count
      && theirs.inUse.allSatisfy { index in theirs.withLine(index) { lines.contains($0) } }
  }

  /// Merges the last writes that were replaced by a generation without them, and returns how many. This machine's
  /// moves to the earlier generations once the change is on the disk.
  ///
  /// - Parameter onFailure: called with the path of each write that can't be merged; it stays in place.
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if one can't be read just now.
  func mergeMissed(
    onFailure: (_ path: String, KeychainError) -> Void
  ) throws(KeychainError) -> Int {
    guard let beginning else { return 0 }
    return mergeLastWrites(
      try NewestWrite.findMissed(by: beginning, head, in: locked.folder, unlocking), onFailure: onFailure)
  }

  /// The same for given writes that this change doesn't come from.
  @discardableResult
  func mergeLastWrites(_ writes: [NewestWrite], onFailure: (_ path: String, KeychainError) -> Void) -> Int {
    var count = 0
    for write in writes {
      // Another merged write may already include this one.
      if head.comes(from: write.snapshot.mac) { continue }
      do throws(KeychainError) {
        try mergeIfItFits(write.snapshot, isUnfinished: write.isUnfinished)
        takenIn[write.name] = write.snapshot.generation.fileName
        // A write is needed to note the merge.
        isDirty = true
        count += 1
      } catch {
        unmerged.append(write.snapshot.path)
        onFailure(write.snapshot.path, error)
      }
    }
    return count
  }
}
