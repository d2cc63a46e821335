import EncryptedFile
import Keychain

/// Which keychain a command uses, and how it is unlocked.
struct KeychainSelection {
  /// `--keychain`
  var name: String?
  /// `--passphrase-fd`
  var passphraseDescriptor: Int32?
  /// Whether a person may be asked.
  var mayAsk = true

  /// The encrypted file.
  ///
  /// - Throws: ``Failure`` for a keychain that isn't known or can't be used here.
  func encryptedFile() throws(Failure) -> EncryptedFileKeychain {
    let variable = VaultLocation.environmentVariable
    let chosen = name ?? variable("LLAVERO_KEYCHAIN") ?? "file"
    switch chosen {
    case "file": break
    case "secret-service":
      throw Failure(
        "the Secret Service can't be used by this version", hint: "use --keychain file", status: .keychain)
    default:
      throw Failure(
        "there is no keychain of the kind '\(chosen)'", hint: "use --keychain file", status: .usage)
    }
    let location = try explaining { () throws(KeychainError) in try VaultLocation() }
    let patience = variable("LLAVERO_LOCK_TIMEOUT").flatMap { Int($0) } ?? 60
    return EncryptedFileKeychain(
      at: location, passphrase: passphraseSource(), patience: max(0, patience), onNotice: Self.tell)
  }

  private func passphraseSource() -> PassphraseSource {
    let descriptor = passphraseDescriptor
    let mayAsk = mayAsk && VaultLocation.environmentVariable("LLAVERO_PROMPT") != "never"
    return { (attempt) throws(KeychainError) in
      if let descriptor {
        if attempt > 1 { return nil }
        do throws(Failure) {
          return try SecretInput.passphrase(from: descriptor)
        } catch {
          throw .unavailable(reason: error.message)
        }
      }
      guard mayAsk, attempt <= 3, let terminal = Terminal() else { return nil }
      if attempt > 1 { terminal.show("That is not it.\n") }
      guard let passphrase = terminal.askForSecret("Passphrase of the keychain: ") else {
        throw .promptDismissed
      }
      return passphrase
    }
  }

  private static func tell(_ notice: EncryptedFileKeychain.Notice) {
    switch notice {
    case .created(let location):
      StandardStreams.say(
        "made the keychain \(terminalText(location.vaultFile)); "
          + "its key is \(terminalText(location.identityFile))")
    case .waiting(let path):
      StandardStreams.say("waiting for another process that holds \(terminalText(path))")
    }
  }
}
