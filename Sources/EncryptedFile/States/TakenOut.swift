import Age
import Glibc
import Keychain
import PrivateFiles

/// A file that a killed writer left under the name for exchanging the new file and the vault: the new file, which
/// never got into place; the one at the writer's beginning; or one that a sync program had put there since.
enum TakenOut {
  /// Removes the first two kinds, and makes the last one a conflict copy. Needs the vault's lock.
  ///
  /// - Parameters:
  ///   - names: the names of the files.
  ///   - current: the generation in the vault's place now.
  static func settle(
    _ names: [String], in folder: borrowing Folder, besides current: VaultSnapshot, at location: VaultLocation
  ) {
    for name in names {
      if let file = try? folder.file(name, isTightened: true),
        let (header, _) = try? VaultSnapshot.readHeader(file),
        isKnown(header.mac, to: current, folder, location)
      {
        unlinkat(folder.descriptor, name, 0)
      } else {
        // It was in the vault's place, and nobody has seen it.
        renameat(folder.descriptor, name, folder.descriptor, ConflictCopies.newName())
      }
    }
  }

  private static func isKnown(
    _ mac: [UInt8], to current: VaultSnapshot, _ folder: borrowing Folder, _ location: VaultLocation
  ) -> Bool {
    mac == current.mac || current.first.head.comes(from: mac)
      // A rotation keeps no copy of its write before that is in place, but notes it.
      || SeenGeneration.isBeingReplaced(by: mac, of: current.stanzas.uuid, in: StateFolder(location))
      || ((try? NewestWrite.names(in: folder)) ?? []).contains { folder.headerMAC(of: $0) == mac }
      || ((try? Generations(in: folder.path)?.hasOne(of: mac)) ?? false)
  }
}
