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
        unmergedCopies.append(locked.folder.path(of: name))
        continue
      }
      do throws(KeychainError) {
        guard
          let copy = try ConflictCopies.open(
            name, in: locked.folder, uuid: stanzas.uuid, with: key, unlocking)
        else {
          continue
        }
        _ = try undoing { () throws(KeychainError) in try merge(copy) }
        mergedCopies.append((name, copy.generation.fileName))
      } catch {
        unmergedCopies.append(locked.folder.path(of: name))
        onFailure(name, locked.folder.path(of: name), error)
      }
    }
    return mergedCopies.count
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
    if let path = unmergedCopies.first { throw .unmerged(path: path) }
    guard let generations = try Generations(in: locked.folder.path) else { return }
    if let path = try generations.unmerged(besides: head) { throw .unmerged(path: path) }
  }

  /// Takes in this machine's last write, where that was replaced by what doesn't have it. It is put among the generations
  /// once the change is on the disk.
  ///
  /// - Returns: whether it was taken in.
  /// - Throws: ``KeychainError/damaged(path:detail:)`` if a record of it is none.
  func merge(_ write: NewestWrite) throws(KeychainError) -> Bool {
    guard write.isMissed else { return false }
    formerWrite = write.snapshot.generation.fileName
    _ = try undoing { () throws(KeychainError) in try merge(write.snapshot) }
    // So that it is noted as taken in.
    isDirty = true
    return true
  }
}
