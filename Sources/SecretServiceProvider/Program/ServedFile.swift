import EncryptedFile
import Keychain
import KeychainChoice
import PrivateFiles
import ToolCommands

enum ServedFile {
  /// - Parameters:
  ///   - isChosen: whether the file was chosen before.
  ///   - bus: the address of the bus.
  static func settings(
    _ options: ServeOptions, at location: VaultLocation, isChosen: Bool, on bus: String
  ) throws(KeychainError) -> ProviderSettings {
    let watchman = try keychain(at: location, renewing: false)
    let unlock = ["/proc/self/exe", "unlock", "--keychain", "file"]
    var settings = ProviderSettings(
      busAddress: bus, replaces: options.replaces,
      open: { () throws(KeychainError) in try opened(at: location) },
      readAll: { (keychain) throws(KeychainError) in
        if let file = keychain as? EncryptedFileKeychain { return try file.allItems() }
        return try keychain.items(matching: .all)
      }, isAsSeen: { ($0 as? EncryptedFileKeychain)?.isAsSeen ?? false },
      lockState: { lockState(of: watchman) },
      lock: {
        switch try? watchman.lock() {
        case .locked?: true
        default: false
        }
      },
      unlockProgram: options.selection.mayAskPerson ? unlock : nil,
      unlockWithPassphraseProgram: unlock + ["--passphrase-fd", "0"], idle: options.idle,
      onServing: {
        // From now on programs keep their secrets in it, so people's commands are to use it, too.
        if isChosen { return }
        let isThere = (try? watchman.isThere()) ?? false
        _ = try? RememberedKeychain.writeFirst(
          KeychainKind.file.rawValue, vault: isThere ? location.vaultFile : nil, in: location.stateFolder)
      })
    settings.readAhead = { (keychain) throws(KeychainError) in
      try (keychain as? EncryptedFileKeychain)?.readAhead()
    }
    settings.presentState = { watchman.presentMAC }
    settings.opensUnasked = { (try? watchman.opensUnasked()) ?? false }
    settings.unlockAgainProgram = settings.unlockProgram.map { $0 + ["--again"] }
    return settings
  }

  /// The file as this process uses it. It must never wait for a person, or for a program that knows the passphrase; a
  /// separate program asks.
  ///
  /// - Parameter isUse: whether a look at it extends the time for which it stays unlocked.
  private static func keychain(
    at location: VaultLocation, renewing isUse: Bool
  ) throws(KeychainError) -> EncryptedFileKeychain {
    let environment = KeychainEnvironment()
    var cache = try environment.unlockCache(at: location, program: nil)
    cache.renews = isUse
    var openers = environment.openers
    openers.mayRunPrograms = false
    let keychain = try environment.encryptedFile(
      at: location, passphrase: { _ in nil }, respondent: { .nobody }, cache: cache, openers: openers,
      onNotice: { _ in })
    keychain.onlyReads = !isUse
    return keychain
  }

  private static func opened(at location: VaultLocation) throws(KeychainError) -> any KeychainStore {
    try keychain(at: location, renewing: true)
  }

  private static func lockState(of keychain: EncryptedFileKeychain) -> ProviderSettings.LockState {
    do throws(KeychainError) {
      return try keychain.isLocked() ? .locked : .unlocked
    } catch {
      return .unusable(error)
    }
  }
}
