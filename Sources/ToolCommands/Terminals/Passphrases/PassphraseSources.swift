import Bytes
package import EncryptedFile
import Glibc
package import Keychain
import KeychainChoice

/// The sources of a keychain's passphrase.
///
/// Only the first that exists is used: the descriptor of `--passphrase-fd`; for the encrypted file, systemd's
/// credential and the command of `LLAVERO_PASSPHRASE_COMMAND`; the user, if asking is allowed, through
/// ``PassphrasePrompt``. The user has three tries, every other source one.
package final class PassphraseSources {
  package enum Origin: Hashable, Sendable {
    case descriptor
    case credential
    case command
    case person
  }

  /// What the passphrase opens. The credential and the command apply to a vault only.
  package enum Subject {
    /// The encrypted file.
    case vault(path: String)
    /// One of several slots of the encrypted file.
    case slot(id: String)
    /// A file that isn't a keychain in use, such as a backup or another program's database.
    case file(path: String, TypedSecret = .passphrase)
    /// The desktop's keyring, with the prompt for its password on a terminal.
    case keyring(prompt: String)
  }

  /// What a person types to open a file.
  package enum TypedSecret {
    case passphrase
    case recoveryCode
    case either
  }

  /// In bytes.
  package static let longest = SystemdCredential.longest
  package static let tries = 3

  private(set) var lastOrigin: Origin?

  private let subject: Subject
  private let descriptor: Int32?
  private let mayAsk: Bool
  /// What the passphrase is for, if that isn't plain from the command.
  private let purpose: String?
  private var prompt: PassphrasePrompt?
  /// What is said with the next question; `nil` if the last answer was just wrong.
  private var problem: String?
  /// The descriptor's answer, because several files may need it, such as the earlier states of a damaged vault.
  private var fromDescriptor: Secret?

  /// - Parameter descriptor: the descriptor of `--passphrase-fd`.
  package init(for subject: Subject, descriptor: Int32?, mayAsk: Bool, purpose: String? = nil) {
    self.purpose = purpose
    self.subject = subject
    self.descriptor = descriptor
    self.mayAsk = mayAsk
  }

  package var source: PassphraseSource { passphrase }

  /// The source that would give the passphrase now. A descriptor gives it only once.
  package var respondent: PassphraseRespondent {
    if descriptor != nil { return .nobody }
    if case .vault = subject,
      SystemdCredential() != nil || CString(variable: PassphraseCommand.variable) != nil
    {
      return .program
    }
    return mayAsk && (try? PassphrasePrompt.find(timeout: Self.promptTimeout())) != nil ? .person : .nobody
  }

  /// The passphrase; `nil` if nobody can be asked, or not again.
  ///
  /// - Parameter attempt: the number of the attempt, from 1; above 1 the previous passphrase was wrong.
  /// - Throws: ``KeychainError/wrongPassphraseGiven(by:path:)`` at the second attempt if the user wasn't asked;
  ///   ``KeychainError/promptDismissed`` if the user declined; the error of the source in use.
  package func passphrase(_ attempt: Int) throws(KeychainError) -> Secret? {
    if attempt > 1 { return try passphraseAgain(attempt) }
    if let descriptor {
      lastOrigin = .descriptor
      if let again = fromDescriptor?.copy() { return again }
      do throws(KeychainError) {
        let passphrase = try SecretInput.passphrase(from: descriptor)
        fromDescriptor = passphrase.copy()
        return passphrase
      } catch {
        throw .unavailable(reason: error.message)
      }
    }
    if case .vault = subject, let passphrase = try unattendedPassphrase() { return passphrase }
    guard mayAsk, let prompt = PassphrasePrompt.find(timeout: try Self.promptTimeout()) else { return nil }
    self.prompt = prompt
    return try ask(prompt, error: nil)
  }

  private func passphraseAgain(_ attempt: Int) throws(KeychainError) -> Secret? {
    if let prompt {
      let error = problem ?? wrong
      problem = nil
      return attempt > Self.tries ? nil : try ask(prompt, error: error)
    }
    guard case .vault(let path) = subject else { return nil }
    switch lastOrigin {
    case .descriptor: throw .wrongPassphraseGiven(by: "descriptor \(descriptor ?? -1)", path: path)
    case .credential: throw .wrongPassphraseGiven(by: SystemdCredential.name, path: path)
    case .command: throw .wrongPassphraseGiven(by: PassphraseCommand.name, path: path)
    case .person, nil: return nil
    }
  }

  /// What is said before the question is asked again.
  private var wrong: String {
    if case .keyring = subject { return PassphraseQuestion.wrongPassword }
    if case .file(_, let typed) = subject { return PassphraseQuestion.wrong(typed) }
    if vaultTakingRecoveryCode != nil { return PassphraseQuestion.wrongCode }
    return PassphraseQuestion.wrong
  }

  /// The vault, if nothing but a recovery code opens it.
  private var vaultTakingRecoveryCode: VaultOfError? {
    guard case .vault(let path) = subject else { return nil }
    return VaultOfError { $0.vaultFile == path }.flatMap { $0.takesOnlyRecoveryCode ? $0 : nil }
  }

  /// Notes that the last answer was a recovery code with a typing error, probably in one of these groups.
  package func noteMistypedCode(_ groups: [Int]) {
    let error = KeychainError.mistypedRecoveryCode(groups: groups).message
    problem = PassphraseQuestion.sentence(error)
  }

  private func ask(_ prompt: PassphrasePrompt, error: String?) throws(KeychainError) -> Secret {
    lastOrigin = .person
    if let vault = vaultTakingRecoveryCode {
      let question: PassphraseQuestion = .recoveryCode(at: vault.location.vaultFile)
      return try prompt.ask(question, error: error ?? PassphraseQuestion.sentence(vault.problemOfKeyFile))
    }
    let question: PassphraseQuestion =
      switch subject {
      case .vault(let path): .passphrase(of: "keychain", at: path, purpose)
      case .slot(let id): .passphrase(of: "slot \(id)", at: nil)
      case .file(let path, let typed): .opening(file: path, with: typed)
      case .keyring(let line): .keyringPassword(line: line)
      }
    return try prompt.ask(question, error: error)
  }

  private func unattendedPassphrase() throws(KeychainError) -> Secret? {
    if let passphrase = try SystemdCredential()?.passphrase() {
      lastOrigin = .credential
      return passphrase
    }
    guard let command = CString(variable: PassphraseCommand.variable) else { return nil }
    lastOrigin = .command
    let timeout = try Self.milliseconds("LLAVERO_PASSPHRASE_COMMAND_TIMEOUT", default: 60_000)
    return try PassphraseCommand(command: command, timeout: timeout).passphrase()
  }

  /// Reads a new passphrase, typed twice or from the descriptor. The credential and the command are not used, because
  /// they give the present one.
  ///
  /// - Parameter option: the option that names the descriptor.
  /// - Throws: ``KeychainError`` if nobody can be asked, it is empty, the two differ three times, or the user declines.
  package func newPassphrase(option: String = "--passphrase-fd") throws(KeychainError) -> Secret {
    // On a terminal it is typed twice, like any new one.
    let isTyped = descriptor.map(StandardStreams.isTerminal) ?? true
    let prompt = mayAsk && isTyped ? PassphrasePrompt.find(timeout: try Self.promptTimeout()) : nil
    if let descriptor, prompt == nil {
      let passphrase = try SecretInput.passphrase(from: descriptor)
      if passphrase.isEmpty { throw .failure("the passphrase is empty", status: .usage) }
      // A file from Windows has one at its end.
      if passphrase.withUnsafeBytes({ $0.contains { $0 < 0x20 || $0 == 0x7f } }) {
        StandardStreams.say(
          "the new passphrase has a control character, such as a line break, so that nobody can type it on a terminal"
        )
      }
      lastOrigin = .descriptor
      return passphrase
    }
    guard let prompt else {
      throw .failure(
        mayAsk
          ? "there is no terminal to ask for the passphrase" : "nobody may be asked for the passphrase",
        hint: "give it with \(prose: option)", status: .usage)
    }
    lastOrigin = .person
    let question: PassphraseQuestion =
      switch subject {
      case .vault, .slot, .file: .newPassphrase(of: "keychain")
      case .keyring: .newPassphrase(of: "keyring")
      }
    var error: String?
    for _ in 0..<Self.tries {
      let passphrase = try prompt.askTwice(question, error: error)
      if let passphrase {
        if passphrase.isEmpty {
          error = PassphraseQuestion.empty
        } else if prompt.takes(passphrase) {
          return passphrase
        } else {
          error = PassphraseQuestion.tooShort
        }
      } else {
        error = PassphraseQuestion.theyDiffer
      }
    }
    let message =
      switch error {
      case PassphraseQuestion.empty: "the passphrase is empty"
      case PassphraseQuestion.tooShort: "no passphrase was chosen in three tries"
      default: "no match after three tries"
      }
    throw .failure(message, status: .usage)
  }

  /// The time limit for a program's answer, in milliseconds, in case nobody sees its dialog: that of
  /// `LLAVERO_PROMPT_TIMEOUT`, or five minutes.
  ///
  /// - Throws: ``KeychainError`` if the variable isn't between 0.001 and 86,400 seconds.
  package static func promptTimeout() throws(KeychainError) -> Int {
    try milliseconds("LLAVERO_PROMPT_TIMEOUT", default: 300_000)
  }

  /// The milliseconds that a variable gives in seconds.
  private static func milliseconds(_ name: String, default value: Int) throws(KeychainError) -> Int {
    do throws(KeychainError) {
      return try KeychainEnvironment().milliseconds(name) ?? value
    } catch {
      throw .unavailable(reason: error.message)
    }
  }
}
