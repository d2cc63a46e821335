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
    /// It was chosen before, at this time if known.
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
    /// Nothing was chosen, and this error keeps a Secret Service from being used.
    case noService(KeychainError)
  }

  package let keychain: ListedKeychain
  /// The reason for it.
  public let reason: Reason

  /// The kind in use.
  public var kind: KeychainKind { keychain.kind }
  /// The name of the keychain in use: its kind's, unless it was listed.
  public var name: String { keychain.name }

  package init(_ keychain: ListedKeychain, reason: Reason) {
    self.keychain = keychain
    self.reason = reason
  }

  /// The same for the keychain with its kind's name.
  package init(kind: KeychainKind, reason: Reason) {
    self.init(ListedKeychain(builtIn: kind), reason: reason)
  }

  /// The choice so far; `nil` if it depends on whether a keychain is forwarded, or a Secret Service answers.
  ///
  /// - Parameter named: the value of `--keychain`.
  /// - Throws: ``KeychainError`` for an unknown name, or if the remembered choice can't be read.
  package static func made(
    named: String?, at location: VaultLocation, _ environment: KeychainEnvironment = KeychainEnvironment()
  ) throws(KeychainError) -> KeychainChoice? {
    if let choice = try chosen(named: named, at: location, environment) { return choice }
    do throws(KeychainError) {
      let hasVault = try EncryptedFileKeychain(at: location).exists()
      return hasVault ? KeychainChoice(kind: .file, reason: .vaultIsThere) : nil
    } catch {
      // Without a home here, a keychain may still be forwarded. Nothing else is used in its place.
      if case .missing(let path) = error, location.isHome(path), environment.mayNameForwarded { return nil }
      throw error
    }
  }

  /// The keychain, perhaps missing, that a command, the environment or an earlier choice names; `nil` without a name.
  ///
  /// - Parameter named: the value of `--keychain`.
  /// - Throws: as ``made(named:at:_:)`` does.
  package static func chosen(
    named: String?, at location: VaultLocation, _ environment: KeychainEnvironment = KeychainEnvironment()
  ) throws(KeychainError) -> KeychainChoice? {
    let state = location.stateFolder
    if let named { return KeychainChoice(try keychain(named: named, in: state), reason: .option) }
    if let name = environment.keychain {
      return KeychainChoice(try keychain(named: name, in: state), reason: .environment)
    }
    if let remembered = try RememberedKeychain.read(in: state) {
      guard let keychain = try find(remembered.name, in: state) else {
        throw .choice(.unlistedChoice(remembered.name))
      }
      return KeychainChoice(keychain, reason: .remembered(remembered.date))
    }
    return nil
  }

  /// The keychain with the logins to the others: the remembered one, unless that is shared itself; else the encrypted
  /// file. The environment is for one command and doesn't move logins.
  package static func personal(at location: VaultLocation) -> ListedKeychain {
    guard let remembered = (try? RememberedKeychain.read(in: location.stateFolder)) ?? nil,
      let keychain = try? keychain(named: remembered.name, in: location.stateFolder), !keychain.kind.isShared
    else { return ListedKeychain(builtIn: .file) }
    return keychain
  }

  private static func keychain(
    named name: String, in stateFolder: String
  ) throws(KeychainError) -> ListedKeychain {
    guard let keychain = try find(name, in: stateFolder) else { throw .noKeychain(name) }
    return keychain
  }

  private static func find(_ name: String, in stateFolder: String) throws(KeychainError) -> ListedKeychain? {
    if let kind = KeychainKind(rawValue: name), kind.hasBuiltIn { return ListedKeychain(builtIn: kind) }
    return try KeychainList.read(in: stateFolder).keychain(named: name)
  }

  /// Whether a command or the environment names the keychain, so that no other is asked.
  package var isNamed: Bool { reason == .option || reason == .environment }

  /// Whether storing an item makes this the keychain from then on. A forwarded one is gone with its connection.
  package var isToBeRemembered: Bool {
    switch reason {
    case .option, .environment, .remembered, .made, .isForwarded, .isServed: false
    case .vaultIsThere, .answers, .noService: true
    }
  }
}
