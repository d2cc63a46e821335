import EncryptedFile
import Keychain
import KeychainChoice

/// Where the passphrase of an encrypted file comes from that a program uses which isn't `llavero` itself: systemd's
/// credential, else a person.
final class FilePassphrases {
  private let location: VaultLocation
  private let environment: KeychainEnvironment
  private let ask: PassphraseSource?
  /// Whether the last one was the credential.
  private var wasCredential = false

  /// - Parameter ask: asks a person; `nil` where nobody may be asked.
  init(at location: VaultLocation, _ environment: KeychainEnvironment, asking ask: PassphraseSource?) {
    self.location = location
    self.environment = environment
    self.ask = ask
  }

  /// Who would give it now.
  var respondent: PassphraseRespondent {
    if SystemdCredential(environment) != nil { return .program }
    return ask == nil ? .nobody : .person
  }

  /// The passphrase; `nil` if nobody can be asked, or no more.
  ///
  /// - Throws: ``KeychainError/wrongPassphraseGiven(by:path:)`` where the credential opens nothing; what is wrong with it;
  ///   what the person's source throws.
  func passphrase(_ attempt: Int) throws(KeychainError) -> Secret? {
    if attempt == 1, let passphrase = try SystemdCredential(environment)?.passphrase() {
      wasCredential = true
      return passphrase
    }
    if attempt == 1 { wasCredential = false }
    if wasCredential { throw .wrongPassphraseGiven(by: SystemdCredential.name, path: location.vaultFile) }
    return try ask?(attempt)
  }
}
