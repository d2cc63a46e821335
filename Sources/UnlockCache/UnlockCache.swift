package import Age
package import Keychain

/// How long a vault stays unlocked, and by what.
public struct UnlockState: Hashable, Sendable {
  /// What keeps a vault unlocked.
  public enum Kind: String, Hashable, Sendable {
    /// The kernel's keyring of this user.
    case keyring
    /// A process of this user.
    case agent
  }

  /// What keeps it.
  public let kind: Kind
  /// How many seconds without use are left at least; `nil` if that can't be told.
  public let idle: Int?
  /// How many seconds are left in any case.
  public let total: Int
}

/// Keeps the keys of vaults for a while, so that a passphrase is typed once.
///
/// They are kept for all processes of this user: whoever runs as that user can open the vault meanwhile.
public struct UnlockCache: Sendable {
  /// Where keys are kept.
  public enum Mode: String, Hashable, Sendable {
    /// In the kernel's keyring if it can be used, else by an agent.
    case automatic = "auto"
    /// In the kernel's keyring alone.
    case keyring
    /// By an agent alone.
    case agent
    /// Nowhere; then nothing is looked for, either.
    case none
  }

  /// Where keys are kept and looked for.
  public var mode: Mode
  /// For how long keys are kept from now on.
  public var limits: UnlockLimits
  /// Whether looking a key up is a use, from which the time that it may lie idle begins anew.
  public var renews: Bool

  /// - Parameters:
  ///   - mode: where keys are kept and looked for.
  ///   - limits: for how long keys are kept.
  public init(mode: Mode = .automatic, limits: UnlockLimits = UnlockLimits()) {
    self.mode = mode
    self.limits = limits
    renews = true
  }

  /// The key of a vault; `nil` if none is kept, or what keeps it doesn't answer.
  package func key(of uuid: String) -> KeptKey? {
    if mode == .automatic || mode == .keyring {
      if let key = KernelKeyring.key(of: uuid, renews: renews) { return key }
    }
    return nil
  }

  /// Keeps a vault's key.
  ///
  /// - Parameter authenticationKey: 32 bytes.
  /// - Returns: what keeps it; `nil` where nothing is to.
  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if it can't be kept.
  @discardableResult
  package func keep(
    _ identity: X25519Identity, _ authenticationKey: borrowing Secret, of uuid: String
  ) throws(KeychainError) -> UnlockState.Kind? {
    if mode == .none { return nil }
    try KernelKeyring.keep(identity, authenticationKey, of: uuid, limits)
    return .keyring
  }

  /// How long a vault stays unlocked; `nil` if no key of it is kept.
  public func state(of uuid: String) -> UnlockState? {
    if mode == .automatic || mode == .keyring, let state = KernelKeyring.state(of: uuid) { return state }
    return nil
  }

  /// Forgets the key of a vault, wherever it is kept, or of all vaults.
  ///
  /// - Parameter uuid: the vault; `nil` for all of this user's.
  public func forget(_ uuid: String?) {
    if let uuid {
      KernelKeyring.forget(uuid)
    } else {
      KernelKeyring.forgetAll()
    }
  }
}
