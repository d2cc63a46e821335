import EncryptedFile
import Keychain
import KeychainChoice

#if SecretService
  import SecretService
#endif

extension KeychainEnvironment {
  /// The encrypted file for this environment and a program's settings.
  ///
  /// - Throws: ``KeychainError``
  func encryptedFile(
    _ keychain: ListedKeychain, at main: VaultLocation, _ settings: DefaultKeychain.Settings
  ) throws(KeychainError) -> EncryptedFileKeychain {
    let location = try main.of(keychain)
    let passphrases = FilePassphrases(
      at: location, self, asking: settings.mayPrompt && !forbidsPrompts ? settings.passphrase : nil)
    var openers = openers(of: keychain)
    openers.mayRunPrograms = false
    let file = try encryptedFile(
      at: location, passphrase: passphrases.passphrase, respondent: { passphrases.respondent },
      cache: try unlockCache(at: location, program: nil), openers: openers, mustExist: !keychain.isBuiltIn,
      onNotice: { settings.onNotice(.encryptedFile($0)) })
    keychain.checkName(atChangesOf: file, in: main.stateFolder)
    // No program is run, so llavero's own next one sends the changes. But a removed member stays out.
    try keychain.checkMembership(in: file)
    return file
  }

  /// The Secret Service for this environment and a program's settings.
  ///
  /// - Throws: ``KeychainError``, also if the program was built without support for it.
  func desktopKeychain(
    at location: VaultLocation, _ settings: DefaultKeychain.Settings
  ) throws(KeychainError) -> any DesktopKeychain {
    var desktop = try secretService(at: location, mayPrompt: settings.mayPrompt)
    // Without an address, use the default, and don't read the environment again.
    desktop.busAddress = busAddress ?? ""
    desktop.onNotice = { settings.onNotice(.secretService($0)) }
    #if SecretService
      return try SecretServiceKeychain(desktop)
    #else
      throw .unavailable(reason: "this program was built without the Secret Service")
    #endif
  }
}
