import CLinux
import Glibc
public import Keychain
import PrivateFiles

extension EncryptedFileKeychain {
  /// Takes in the items of another copy of the vault, wherever that lies; it stays as it is.
  ///
  /// The copy may be of a time before the vault's identity was changed; then it is opened by its own slots.
  ///
  /// - Parameter base: a copy of the state that both come from, if there is one. One that can't be opened counts as none.
  /// - Returns: what it has changed.
  /// - Throws: `KeychainError.wrongIdentity` for another vault's file; `KeychainError` for what is wrong
  ///   with the copy.
  @discardableResult
  public func merge(copyAt path: String, base: String? = nil) throws(KeychainError) -> MergeOutcome {
    let scratch = try ScratchFolder(in: location.stateFolder)
    try scratch.take(path, as: VaultLocation.vaultName)
    let change = try beginChange()
    guard let stanzas = change.stanzas else { throw .itemNotFound }
    let copy = try open(scratch, shownAs: path, of: stanzas.uuid)
    var former: VaultSnapshot?
    if let base {
      let scratch = try ScratchFolder(in: location.stateFolder)
      try? scratch.take(base, as: VaultLocation.vaultName)
      // Git gives an empty file where two sides have nothing in common.
      former = try? open(scratch, shownAs: base, of: stanzas.uuid)
    }
    let outcome = try change.merge(copy, base: former)
    try change.commit(at: clock())
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
      return try unlock(header, stanzas)
    }
  }

  /// Merges two copies of the vault into the file of the first, as a merge driver of git has to (gitattributes(5),
  /// "Defining a custom merge driver"). Nothing else is read or changed.
  ///
  /// - Parameter base: the state that both come from; a file that is none counts as not known.
  /// - Returns: what it has changed in `ours`.
  /// - Throws: as ``merge(copyAt:base:)`` does; then `ours` is as it was.
  @discardableResult
  public func mergeFiles(base: String?, ours: String, theirs: String) throws(KeychainError) -> MergeOutcome {
    let scratch = try ScratchFolder(in: location.stateFolder)
    try scratch.take(ours, as: VaultLocation.vaultName)
    let pair = EncryptedFileKeychain(
      at: VaultLocation(vaultFolder: scratch.folder.path, stateFolder: scratch.folder.path), clock: clock)
    guard let file = try scratch.folder.file(VaultLocation.vaultName, shownAs: ours) else {
      throw .missing(path: ours)
    }
    // Here is what opens it; there, nothing but the files.
    _ = try unlock(file).verify()
    pair.use(self)
    let outcome = try pair.merge(copyAt: theirs, base: base)
    guard let merged = try pair.openVault() else { throw .missing(path: ours) }
    let contents = try merged.contents(limit: VaultBounds.file)
    let failure = contents.withUnsafeBytes { overwrite(ours, with: $0) }
    if failure != 0 { throw .system(operation: "write", path: ours, errno: failure) }
    return outcome
  }
}

/// A folder of this user's alone that goes with its owner. There is never anything in it but encrypted files.
private struct ScratchFolder: ~Copyable {
  let folder: Folder

  init(in parent: String) throws(KeychainError) {
    folder = try Folder(creating: parent + "/merge-" + randomHexadecimal(bytes: 8))
  }

  /// Copies a file into it, whoever may read that.
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
      try folder.replace(name, with: bytes, isLasting: false)
    }
  }

  deinit { removeTree(folder.path) }
}

/// Removes a folder of ours with what is in it.
private func removeTree(_ path: String) {
  if let folder = try? Folder(opening: path), let names = try? folder.names() {
    for name in names where unlinkat(folder.descriptor, name, 0) != 0 { removeTree(path + "/" + name) }
  }
  rmdir(path)
}

/// Gives a file other contents, keeping the file. Returns 0 or an `errno`.
private func overwrite(_ path: String, with bytes: UnsafeRawBufferPointer) -> Int32 {
  let file = clinux_openat(AT_FDCWD, path, O_WRONLY | O_TRUNC | O_CLOEXEC, 0)
  if file < 0 { return errno }
  var failure = writeFully(file, bytes)
  if failure == 0, fsync(file) != 0 { failure = errno }
  if close(file) != 0, failure == 0 { failure = errno }
  return failure
}
