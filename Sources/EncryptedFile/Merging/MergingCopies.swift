import Age
import Bytes
import JSON
import Keychain
import PrivateFiles

extension VaultChange {
  /// Takes in what the copies have that a sync program has put beside the vault.
  ///
  /// - Parameters:
  ///   - names: those that are left alone.
  ///   - onFailure: hears of those that can't be read, by name and path; they stay.
  /// - Returns: how many were taken in.
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

  /// Takes in what another copy has, or nothing of it.
  ///
  /// - Throws: ``KeychainError/tooLarge(what:limit:)`` if a vault can't hold both; else whoever has such a copy could not
  ///   even delete anything.
  private func mergeIfItFits(_ copy: VaultSnapshot) throws(KeychainError) {
    let before = head
    do throws(KeychainError) {
      try undoing { () throws(KeychainError) in
        try merge(copy)
        guard let key, let stanzas, lines.byteCount > VaultBounds.plaintext / 2 else { return }
        _ = try EncodedVault(lines, head: head, stanzas: stanzas, key: key, path: path)
      }
    } catch {
      head = before
      throw error
    }
  }

  /// Notes that this comes after all that is known of here, so that nobody merges any of it into this.
  func supersede(_ generations: [Generation]) throws(KeychainError) {
    for generation in generations { head.past.insert(generation) }
    guard let key, let stanzas else { return }
    let state = StateFolder(unlocking.location)
    if case .seen(let seen) = try SeenGeneration.remembered(of: stanzas.uuid, key, in: state).memory {
      head.past.insert(seen)
    }
  }

  /// Refuses to go on where there is something that was never taken in, and that the vault's key opens alone: the key, or
  /// the earlier states, are about to be thrown away.
  ///
  /// - Throws: ``KeychainError/unmerged(path:)``.
  func refuseUnmerged() throws(KeychainError) {
    if let path = unmerged.first { throw .unmerged(path: path) }
    if let beginning,
      let path = try NewestWrite.notTakenIn(
        besides: beginning, head, own: unlocking.location.newestWriteName, in: locked.folder, unlocking)
    {
      throw .unmerged(path: path)
    }
    guard let generations = try Generations(in: locked.folder.path) else { return }
    if let path = try generations.unmerged(besides: head) { throw .unmerged(path: path) }
  }

  /// Takes in the last writes that were replaced by what doesn't have them. This machine's own is put among the generations
  /// once the change is on the disk.
  ///
  /// - Parameter onFailure: hears of those that can't be taken in, by their paths; they stay.
  /// - Returns: how many were taken in.
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if one can't be read just now.
  func mergeMissed(
    onFailure: (_ path: String, KeychainError) -> Void
  ) throws(KeychainError) -> Int {
    guard let beginning else { return 0 }
    var count = 0
    for write in try NewestWrite.findMissed(by: beginning, head, in: locked.folder, unlocking) {
      // One that was taken in may come from another.
      if head.comes(from: write.snapshot.mac) { continue }
      do throws(KeychainError) {
        try mergeIfItFits(write.snapshot)
        takenIn[write.name] = write.snapshot.generation.fileName
        // So that it is noted as taken in.
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
