import EncryptedFile
import Keychain
import KeychainChoice

#if SecretService
  import SecretService
#endif

extension KeychainEnvironment {
  /// The encrypted file as this environment and a program's settings have it.
  ///
  /// - Throws: ``KeychainChoiceError``
  func encryptedFile(
    at location: VaultLocation, _ settings: DefaultKeychain.Settings
  ) throws(KeychainChoiceError) -> EncryptedFileKeychain {
    let passphrases = FilePassphrases(
      at: location, self, asking: settings.mayPrompt && !forbidsPrompts ? settings.passphrase : nil)
    var openers = openers
    openers.mayRunPrograms = false
    return EncryptedFileKeychain(
      at: location, passphrase: passphrases.passphrase, respondent: { passphrases.respondent },
      cache: try unlockCache(at: location, program: nil), openers: openers, patience: try patience(),
      onNotice: { settings.onNotice(.encryptedFile($0)) },
      remembered: { RememberedKeychain.vault(in: location.stateFolder) })
  }

  /// How the Secret Service is used as this environment and a program's settings have it.
  ///
  /// - Throws: ``KeychainChoiceError``
  func secretService(
    at location: VaultLocation, _ settings: DefaultKeychain.Settings
  ) throws(KeychainChoiceError) -> DesktopKeychainSettings {
    var desktop = try secretService(at: location, mayPrompt: settings.mayPrompt)
    // Where there is none, the usual place is looked at, and not the environment once more.
    desktop.busAddress = busAddress ?? ""
    desktop.onNotice = { settings.onNotice(.secretService($0)) }
    return desktop
  }
}

/// Opens the Secret Service.
///
/// - Throws: ``KeychainError/unavailable(reason:)`` also where the program was built without it; what opening throws.
func openDesktopKeychain(_ settings: DesktopKeychainSettings) throws(KeychainError) -> any DesktopKeychain {
  #if SecretService
    return try SecretServiceKeychain(settings)
  #else
    throw .unavailable(reason: "this program was built without the Secret Service")
  #endif
}
