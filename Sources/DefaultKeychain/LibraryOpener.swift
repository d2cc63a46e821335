import EncryptedFile
import Forwarding
import Keychain
import KeychainChoice

#if SecretService
  import SecretService
#endif

/// Opens keychains for a program that links the library.
final class LibraryOpener: KeychainOpener {
  private let environment: KeychainEnvironment
  let location: VaultLocation
  private let settings: DefaultKeychain.Settings
  /// The encrypted file that is open already.
  private let present: (keychain: ListedKeychain, file: EncryptedFileKeychain)?

  init(
    _ environment: KeychainEnvironment, at location: VaultLocation, _ settings: DefaultKeychain.Settings,
    again opened: OpenKeychain?
  ) {
    self.environment = environment
    self.location = location
    self.settings = settings
    present = opened.flatMap { opened in opened.file.map { (opened.choice.keychain, $0) } }
  }

  var mustBeForwarded: Bool { environment.namesForwarded }

  func openFile(_ keychain: ListedKeychain) throws(KeychainError) -> EncryptedFileKeychain {
    if let present, present.keychain == keychain { return present.file }
    let own = try location.of(keychain)
    let passphrases = FilePassphrases(
      at: own, environment,
      asking: settings.mayPrompt && !environment.forbidsPrompts ? settings.passphrase : nil)
    var openers = environment.openers(of: keychain)
    openers.mayRunPrograms = false
    let file = try environment.encryptedFile(
      at: own, passphrase: passphrases.passphrase, respondent: { passphrases.respondent },
      cache: try environment.unlockCache(at: own, program: nil), openers: openers,
      mustExist: !keychain.isBuiltIn, onNotice: { [settings] in settings.onNotice(.encryptedFile($0)) })
    keychain.checkName(atChangesOf: file, in: location.stateFolder)
    // No program is run, so llavero's own next one sends the changes. But a removed member stays out.
    try keychain.checkMembership(in: file)
    return file
  }

  /// - Throws: ``KeychainError``, also if the program was built without support for it.
  func openSecretService() throws(KeychainError) -> any DesktopKeychain {
    var desktop = try environment.secretService(at: location, mayPrompt: settings.mayPrompt)
    // Without an address, use the default, and don't read the environment again.
    desktop.busAddress = environment.busAddress ?? ""
    desktop.onNotice = { [settings] in settings.onNotice(.secretService($0)) }
    #if SecretService
      return try SecretServiceKeychain(desktop)
    #else
      throw .unavailable(reason: "this program was built without the Secret Service")
    #endif
  }

  func openForwarded() throws(KeychainError) -> ForwardedKeychain {
    try environment.forwardedKeychain(for: KeychainEnvironment.programName)
  }

  /// Only llavero's own programs have the network.
  func openRemote(_ keychain: ListedKeychain) throws(KeychainError) -> any RemoteKeychain {
    throw .unavailable(reason: "\(keychain.name) is on a server, which only llavero's own programs ask")
  }
}
