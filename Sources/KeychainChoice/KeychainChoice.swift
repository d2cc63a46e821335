package import EncryptedFile
public import Keychain

/// Which keychain is used, and why.
public struct KeychainChoice: Hashable, Sendable {
  /// Why this one is.
  public enum Reason: Hashable, Sendable {
    /// `--keychain` says so, or the program itself.
    case option
    /// `LLAVERO_KEYCHAIN` says so.
    case environment
    /// It was chosen before.
    case remembered(Timestamp?)
    /// It was made just now.
    case made
    /// Nothing was chosen, and there is a vault already.
    case vaultIsThere
    /// Nothing was chosen, and a Secret Service answers.
    case answers
    /// Nothing was chosen, and no Secret Service can be used, for a reason.
    case noService(KeychainError)
  }

  /// The kind that is used.
  public let kind: KeychainKind
  /// Why it is.
  public let reason: Reason

  /// Takes both.
  package init(kind: KeychainKind, reason: Reason) {
    self.kind = kind
    self.reason = reason
  }

  /// The choice so far; `nil` if it takes a look whether there is a Secret Service.
  ///
  /// - Parameter named: what `--keychain` says.
  /// - Throws: ``KeychainChoiceError`` for an unknown kind, or where what was remembered can't be read.
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

  /// Whether storing something makes this the keychain from then on.
  package var isToBeRemembered: Bool {
    switch reason {
    case .option, .environment, .remembered, .made: false
    case .vaultIsThere, .answers, .noService: true
    }
  }
}
