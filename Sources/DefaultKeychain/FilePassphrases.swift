import EncryptedFile
import Keychain
import KeychainChoice

/// An encrypted file's passphrase for programs other than `llavero`: from systemd's credential, or from the user.
final class FilePassphrases {
  private let location: VaultLocation
  private let environment: KeychainEnvironment
  private let ask: PassphraseSource?
  /// Whether the last passphrase was the credential.
  private var wasCredential = false

  /// - Parameter ask: asks the user; `nil` if nobody may be asked.
  init(at location: VaultLocation, _ environment: KeychainEnvironment, asking ask: PassphraseSource?) {
    self.location = location
    self.environment = environment
    self.ask = ask
  }

  /// The source that would give the passphrase now.
  var respondent: PassphraseRespondent {
    if SystemdCredential(environment) != nil { return .program }
    return ask == nil ? .nobody : .person
  }

  /// The passphrase; `nil` if nobody can be asked, or not again.
  ///
  /// - Throws: ``KeychainError/wrongPassphraseGiven(by:path:)`` if the credential opens nothing; the error of
  ///   reading it; whatever `ask` throws.
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
