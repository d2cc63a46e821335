import Bytes
public import Keychain
import PrivateFiles

/// A file with a state of the vault that may have items which the vault lacks.
public struct UnmergedFile: Hashable, Sendable {
  /// The kinds of files.
  public enum Kind: String, Hashable, Sendable {
    /// A copy that a sync program put beside the vault.
    case copy
    /// A machine's last write before another file came into the vault's place.
    case lastWrite = "last_write"
    /// A write that was broken off before it was in the vault's place.
    case unfinishedWrite = "unfinished_write"
    /// Another state of the vault beside it, under a name that llavero doesn't know: some sync program's conflict
    /// copy, or a person's backup. It is merged only if a person says so.
    case other
  }

  /// The kind of file.
  public let kind: Kind
  /// The file's path.
  public let path: String
  /// Why it can't be merged; `nil` if nothing is known to prevent it.
  public let problem: KeychainError?
}

extension EncryptedFileKeychain {
  /// The files that may have items which the vault lacks: copies beside it, last writes that it isn't known to come
  /// from, and other states of it beside it under names of their own.
  ///
  /// - Throws: as ``verify()`` does.
  public func unmergedFiles() throws(KeychainError) -> [UnmergedFile] {
    guard let opened = try newest(), let folder = try Folder(opening: location.vaultFolder) else { return [] }
    var found: [UnmergedFile] = []
    for name in try ConflictCopies.names(in: folder) {
      do throws(KeychainError) {
        let copy = try ConflictCopies.open(
          name, in: folder, uuid: opened.stanzas.uuid, with: opened.key, unlocking)
        guard let copy, copy.mac != opened.mac, !opened.first.head.comes(from: copy.mac) else { continue }
        _ = try copy.verify()
        found.append(UnmergedFile(kind: .copy, path: copy.path, problem: notMerged[name]))
      } catch {
        found.append(UnmergedFile(kind: .copy, path: folder.path(of: name), problem: error))
      }
    }
    let kept = try Generations(in: folder.path)?.unmerged(besides: opened.first.head) ?? []
    let missed = try NewestWrite.findMissed(by: opened, opened.first.head, in: folder, unlocking)
    let writes =
      missed.map { (path: $0.snapshot.path, isUnfinished: $0.isUnfinished) }
      + (try undecidedWrites(besides: opened, in: folder)).map { (path: $0, isUnfinished: false) }
      + kept.map {
        (path: folder.path(of: Generations.folderName + "/" + $0), isUnfinished: Generations.isUnfinished($0))
      }
    for write in writes {
      let kind = write.isUnfinished ? UnmergedFile.Kind.unfinishedWrite : .lastWrite
      found.append(UnmergedFile(kind: kind, path: write.path, problem: nil))
    }
    for name in try folder.names().sorted() where !Self.isOwnName(name) {
      guard let mac = folder.headerMAC(of: name, ifOf: opened.stanzas.uuid), mac != opened.mac,
        !opened.first.head.comes(from: mac)
      else { continue }
      found.append(UnmergedFile(kind: .other, path: folder.path(of: name), problem: nil))
    }
    return found
  }

  /// Whether this program gives the name to states of the vault beside it, or merges such files by itself.
  private static func isOwnName(_ name: String) -> Bool {
    if name == VaultLocation.vaultName || Folder.isTemporary(name) || Folder.isExchanged(name) { return true }
    var name = name
    return name.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      return VaultLocation.isNewestWriteName(bytes) || ConflictCopies.isCopy(bytes)
    }
  }

  /// The paths of last writes that may be missing from the vault's present generation.
  func undecidedWrites(
    besides opened: VaultSnapshot, in folder: borrowing Folder
  ) throws(KeychainError) -> [String] {
    let head = opened.first.head
    var paths: [String] = []
    for name in try NewestWrite.names(in: folder) {
      switch try NewestWrite.look(at: name, besides: opened, head, in: folder, unlocking) {
      case .undecided, .otherKey: break
      case .known, .missed, .ahead, .notOpened: continue
      }
      // A writer may be changing the key, or have changed it since the vault was opened.
      let uuid = opened.stanzas.uuid
      if NewestWrite.isBeingReplaced(name, of: uuid, in: folder, at: location) { continue }
      guard let file = try vaultFile(), file.status == opened.status else { return [] }
      paths.append(folder.path(of: name))
    }
    return paths
  }

  /// Why a missing item may exist all the same: a copy beside the vault could not be merged. `nil` if there is none,
  /// or within ``exclusively(_:)``.
  public var passedOver: KeychainError? {
    if change != nil { return nil }
    do throws(KeychainError) {
      return try copyLeftOut().map { .copyLeftOut(path: $0.path, because: $0.error) }
    } catch {
      return error
    }
  }

  /// A copy beside the vault, not another vault's, that this object could not merge, and why; `nil` if there is none.
  ///
  /// - Throws: `KeychainError.unsafeFile` and `.system` if the folder can't be read.
  public func copyLeftOut() throws(KeychainError) -> (path: String, error: KeychainError)? {
    if notMerged.isEmpty { return nil }
    guard let folder = try Folder(opening: location.vaultFolder) else { return nil }
    for name in try ConflictCopies.names(in: folder) {
      guard let error = notMerged[name] else { continue }
      if case .wrongIdentity = error { continue }
      return (folder.path(of: name), error)
    }
    return nil
  }
}
