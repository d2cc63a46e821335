import Age
import Bytes
import CLinux
import Glibc
public import Keychain
import PrivateFiles

extension EncryptedFileKeychain {
  /// Merges the items of another copy of the vault, wherever it is. The copy itself is not changed.
  ///
  /// A copy from before a change of the vault's identity is opened by its own slots. Of a write that was broken off,
  /// only the items are taken.
  ///
  /// - Parameters:
  ///   - path: the copy.
  ///   - base: a copy of the common ancestor, if there is one; ignored if it can't be opened.
  /// - Returns: the changes that were made.
  /// - Throws: `KeychainError.wrongIdentity` if the file belongs to another vault; `KeychainError.otherKey` for a
  ///   copy with another identity none of whose slots can be opened here; other errors for a faulty copy.
  @discardableResult
  public func merge(copyAt path: String, base: String? = nil) throws(KeychainError) -> MergeOutcome {
    try merge(copyAt: path, base: base, openedBy: self)
  }

  private func merge(
    copyAt path: String, base: String?, openedBy opener: EncryptedFileKeychain
  ) throws(KeychainError) -> MergeOutcome {
    let scratch = try ScratchFolder(in: location.stateFolder)
    try scratch.take(path, as: VaultLocation.vaultName)
    let change = try beginChange()
    guard let stanzas = change.stanzas else { throw .itemNotFound }
    let copy = try opener.open(scratch, shownAs: path, of: stanzas.uuid)
    var former: VaultSnapshot?
    if let base {
      let scratch = try ScratchFolder(in: location.stateFolder)
      try? scratch.take(base, as: VaultLocation.vaultName)
      // Git passes an empty file if the two sides have no common ancestor.
      former = try? opener.open(scratch, shownAs: base, of: stanzas.uuid)
    }
    let outcome = try change.merge(copy, base: former, isUnfinished: try change.isUnfinished(copy))
    try change.commit(at: clock())
    // The limited list of noted generations has none with an older number.
    try Generations(in: location.vaultFolder)?.settle(copy)
    try NewestWrite.settle(copy, in: change.locked.folder)
    try ConflictCopies.settle(copy, in: change.locked.folder)
    return outcome
  }

  private func open(
    _ scratch: borrowing ScratchFolder, shownAs path: String, of uuid: String
  ) throws(KeychainError) -> VaultSnapshot {
    guard let file = try scratch.folder.file(VaultLocation.vaultName, shownAs: path) else {
      throw .missing(path: path)
    }
    return try VaultSnapshot(file) { (header, stanzas) throws(KeychainError) in
      guard stanzas.uuid == uuid else { throw .wrongIdentity(path: path) }
      return try unlock(copyAt: path, header, stanzas)
    }
  }

  /// Merges two copies of the vault into the file of the first, as a git merge driver does (gitattributes(5),
  /// "Defining a custom merge driver"). No other file is read or changed.
  ///
  /// If the first file is this keychain's own, the other copy is merged into the keychain, as ``merge(copyAt:base:)``
  /// does: under its lock, and keeping an earlier state.
  ///
  /// - Parameters:
  ///   - base: the common ancestor; ignored if it can't be opened.
  ///   - ours: the file that receives the result.
  ///   - theirs: the other copy.
  /// - Returns: the changes that were made to `ours`.
  /// - Throws: as ``merge(copyAt:base:)`` does; `ours` is then unchanged.
  @discardableResult
  public func mergeFiles(base: String?, ours: String, theirs: String) throws(KeychainError) -> MergeOutcome {
    if let path = realPath(ours), path == realPath(location.vaultFile) {
      return try merge(copyAt: theirs, base: base)
    }
    let scratch = try ScratchFolder(in: location.stateFolder)
    try scratch.take(ours, as: VaultLocation.vaultName)
    let pair = EncryptedFileKeychain(
      at: VaultLocation(vaultFolder: scratch.folder.path, stateFolder: scratch.folder.path),
      onNotice: { [onNotice] notice in if case .slotsMerged = notice { onNotice(notice) } }, clock: clock)
    pair.unlocking.identityFolder = location.stateFolder
    guard let file = try scratch.folder.file(VaultLocation.vaultName, shownAs: ours) else {
      throw .missing(path: ours)
    }
    // This keychain has the keys to the files; the temporary one has only the files.
    let opened = try VaultSnapshot(file) { (header, stanzas) throws(KeychainError) in
      try unlock(copyAt: ours, header, stanzas)
    }
    _ = try opened.verify()
    pair.key = opened.key
    let outcome: MergeOutcome
    do throws(KeychainError) {
      outcome = try pair.merge(copyAt: theirs, base: base, openedBy: self)
    } catch {
      throw error.naming(ours, inPlaceOf: pair.location.vaultFile)
    }
    guard let merged = try pair.openVault() else { throw .missing(path: ours) }
    let contents = try merged.contents(limit: VaultBounds.file)
    let failure = contents.withUnsafeBytes { replaceContents(of: ours, with: $0) }
    if failure != 0 { throw .system(operation: "write", path: ours, errno: failure) }
    return outcome
  }
}

extension EncryptedFileKeychain {
  /// Opens a copy of the vault with this one's key, or by the copy's own slots.
  ///
  /// - Throws: ``KeychainError/otherKey(path:)``; what asking throws, naming the copy.
  private func unlock(
    copyAt path: String, _ header: Header, _ stanzas: VaultStanzas
  ) throws(KeychainError) -> UnlockedHeader {
    do throws(KeychainError) {
      return try unlock(header, stanzas)
    } catch {
      switch error {
      case .wrongIdentity(location.identityFile), .missing(location.identityFile), .noSlotOpens:
        throw .otherKey(path: path)
      default: throw error.naming(path, inPlaceOf: location.vaultFile)
      }
    }
  }
}

extension KeychainError {
  func naming(_ path: String, inPlaceOf former: String) -> KeychainError {
    switch self {
    case .locked(former): .locked(path: path)
    case .wrongPassphrase(former): .wrongPassphrase(path: path)
    case .wrongPassphraseGiven(let giver, former): .wrongPassphraseGiven(by: giver, path: path)
    case .damaged(former, let detail): .damaged(path: path, detail: detail)
    case .newerFormat(former, let version): .newerFormat(path: path, version: version)
    case .system(let operation, former, let errno): .system(operation: operation, path: path, errno: errno)
    default: self
    }
  }
}

/// A private folder, removed with its owner. It only ever contains encrypted files.
struct ScratchFolder: ~Copyable {
  let folder: Folder
  private let lock: FileLock

  private static let prefix = "merge-"
  private static let lockName = "merging"

  init(in parent: String) throws(KeychainError) {
    Self.removeStale(in: parent)
    let folder = try Folder(creating: parent + "/" + Self.prefix + newDigits())
    lock = try FileLock(Self.lockName, in: folder, patience: 0) {}
    self.folder = folder
  }

  /// Removes folders that killed processes left more than an hour ago. Failures are ignored.
  private static func removeStale(in parent: String) {
    guard let state = try? Folder(opening: parent), let names = try? state.names() else { return }
    for name in names where name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + 16 {
      let path = state.path(of: name)
      // A folder that is being made has no lock yet, and one in use is locked, however old it is.
      guard let folder = try? Folder(opening: path), let status = try? state.status(of: name),
        Timestamp.now.seconds - status.modificationDate.seconds > 3600,
        let lock = try? FileLock(lockName, in: folder, patience: 0, onWaiting: {})
      else { continue }
      removeTree(path)
      withExtendedLifetime(lock) {}
    }
  }

  /// Copies a file into the folder, whatever its permissions.
  func take(_ path: String, as name: String) throws(KeychainError) {
    let source = clinux_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
    if source < 0 { throw .system(operation: "open", path: path, errno: errno) }
    defer { close(source) }
    let status = try FileStatus(of: source, path: path)
    guard status.isRegularFile else { throw .unsafeFile(path: path, .wrongKind) }
    guard status.size <= VaultBounds.file else { throw .tooLarge(what: path, limit: VaultBounds.file) }
    var contents = Secret(capacity: status.size)
    try contents.append(count: status.size) { (buffer) throws(KeychainError) -> Int in
      let failure = readFully(source, at: 0, into: buffer)
      if failure < 0 { throw .damaged(path: path, detail: "it ends too early") }
      if failure > 0 { throw .system(operation: "read", path: path, errno: failure) }
      return buffer.count
    }
    try contents.withUnsafeBytes { (bytes) throws(KeychainError) in
      try folder.replaceForNow(name, with: bytes)
    }
  }

  deinit { removeTree(folder.path) }
}

/// Replaces the contents of a file, which keeps its access. Returns 0, or an `errno`; then the file is unchanged.
private func replaceContents(of path: String, with bytes: UnsafeRawBufferPointer) -> Int32 {
  // A link still leads to the file.
  guard let target = realPath(path) else { return errno }
  return replaceFile(target, with: bytes, access: FileAccess(ofFileAt: target))
}
