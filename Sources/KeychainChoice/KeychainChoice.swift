package import EncryptedFile
public import Keychain

/// The keychain in use, and the reason for it.
public struct KeychainChoice: Hashable, Sendable {
  /// The reason for a choice.
  public enum Reason: Hashable, Sendable {
    /// `--keychain` or the program itself names it.
    case option
    /// `LLAVERO_KEYCHAIN` names it.
    case environment
    /// It was chosen before, at this time if it is known.
    case remembered(Timestamp?)
    /// It was created just now.
    case made
    /// Nothing was chosen, and a vault exists already.
    case vaultIsThere
    /// Nothing was chosen, and a keychain is forwarded to this machine.
    case isForwarded
    /// Nothing was chosen, and a Secret Service answers.
    case answers
    /// The Secret Service is to be used, and llavero itself provides it.
    case isServed
    /// Nothing was chosen, and no Secret Service can be used, because of this error.
    case noService(KeychainError)
  }

  /// The kind in use.
  public let kind: KeychainKind
  /// The reason for it.
  public let reason: Reason

  /// Creates a choice.
  package init(kind: KeychainKind, reason: Reason) {
    self.kind = kind
    self.reason = reason
  }

  /// The choice so far; `nil` if it depends on whether a keychain is forwarded, or there is a Secret Service.
  ///
  /// - Parameter named: the value of `--keychain`.
  /// - Throws: ``KeychainChoiceError`` for an unknown kind, or if the remembered choice can't be read.
  package static func made(
    named: String?, at location: VaultLocation, _ environment: KeychainEnvironment = KeychainEnvironment()
  ) throws(KeychainChoiceError) -> KeychainChoice? {
    if let named { return KeychainChoice(kind: try kind(named: named), reason: .option) }
    if let name = environment.keychain {
      return KeychainChoice(kind: try kind(named: name), reason: .environment)
    }
    if let remembered = try RememberedKeychain.read(in: location.stateFolder) {
      return KeychainChoice(kind: remembered.kind, reason: .remembered(remembered.date))
    }
    do throws(KeychainError) {
      let hasVault = try EncryptedFileKeychain(at: location).exists()
      return hasVault ? KeychainChoice(kind: .file, reason: .vaultIsThere) : nil
    } catch {
      throw .keychain(error)
    }
  }

  private static func kind(named name: String) throws(KeychainChoiceError) -> KeychainKind {
    guard let kind = KeychainKind(rawValue: name) else { throw .unknownKind(name) }
    return kind
  }

  /// Whether storing an item makes this the keychain from then on. A forwarded one is gone with its connection.
  package var isToBeRemembered: Bool {
    switch reason {
    case .option, .environment, .remembered, .made, .isForwarded, .isServed: false
    case .vaultIsThere, .answers, .noService: true
    }
  }
}
