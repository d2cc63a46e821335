public import Keychain
import PrivateFiles

extension EncryptedFileKeychain {
  /// Whether the keychain could keep a secret now.
  ///
  /// Opens the vault as far as possible without asking anybody, and reads all of it. Also checks the folders'
  /// permissions, the lock, the file system and the free space. A slot's program isn't run, because it may ask
  /// somebody: a vault that only such a program opens counts as locked. A passphrase from a program or a file
  /// (``PassphraseRespondent/program``) is used.
  public func probe() -> KeychainReadiness {
    let asksNobody = unlocking.respondent() == .program
    // A key given for one use is not kept.
    let quiet = EncryptedFileKeychain(
      at: location, passphrase: asksNobody ? unlocking.passphrase : { _ in nil }, respondent: { .nobody },
      cache: unlocking.cache, openers: unlocking.openers.withoutPrograms,
      maximumWorkFactor: unlocking.maximumWorkFactor, patience: 1, remembered: remembered)
    quiet.onlyReads = true
    quiet.use(self)
    let fault: KeychainError?
    do throws(KeychainError) {
      fault = try quiet.readingEverything()
    } catch {
      if case .noSlotOpens = error, hasProgramSlot { return .locked(error) }
      return KeychainReadiness(readingFailedWith: error)
    }
    if let fault { return .notWritable(fault) }
    do throws(KeychainError) {
      try quiet.checkRoom()
      return .ready
    } catch {
      return .notWritable(error)
    }
  }

  private var hasProgramSlot: Bool { slotKinds.contains(where: \.isOpenedByProgram) }

  /// The kinds of the slots in the file's header; empty if that can't be read.
  package var slotKinds: Set<SlotKind> {
    guard let file = try? vaultFile(), let stanzas = try? VaultSummary.stanzas(of: file) else { return [] }
    return Set(stanzas.slots.map(\.kind))
  }

  /// Reads all of the vault. Returns why this version must not write it.
  private func readingEverything() throws(KeychainError) -> KeychainError? {
    guard let snapshot = try newest() else { return nil }
    let version = snapshot.first.minimumWriter
    _ = try snapshot.verify()
    return version > VaultHead.version ? .newerFormat(path: location.vaultFile, version: version) : nil
  }

  private func checkRoom() throws(KeychainError) {
    var size = 0
    if let folder = try Folder(opening: location.vaultFolder) {
      if try folder.contains(VaultLocation.vaultName) {
        size = try folder.status(of: VaultLocation.vaultName).size
      }
      try FileLock.check(VaultLocation.lockName, in: folder, patience: patience)
    }
    // A write puts a whole new file beside the old one, perhaps larger by a chunk.
    try FutureFolder(location.vaultFolder).check(room: size + (128 << 10))
    try FutureFolder(location.stateFolder).check(room: 8 << 10)
  }
}

extension SlotOpeners {
  fileprivate var withoutPrograms: SlotOpeners {
    var openers = self
    openers.mayRunPrograms = false
    openers.run = nil
    return openers
  }
}
