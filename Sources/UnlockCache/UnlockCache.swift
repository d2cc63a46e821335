package import Age
package import Keychain

/// How long a vault stays unlocked, and where its key is kept.
public struct UnlockState: Hashable, Sendable {
  /// The keeper of a vault's key.
  public enum Kind: String, Hashable, Sendable {
    /// The kernel's keyring of this user.
    case keyring
    /// A process of this user.
    case agent
  }

  /// The keeper of the key.
  public let kind: Kind
  /// The minimum number of seconds left without use; `nil` if that can't be told.
  public let idle: Int?
  /// The number of seconds left in any case.
  public let total: Int
}

/// A cache that keeps the keys of vaults for a while, so that a passphrase is typed only once.
///
/// They are kept for all processes of this user: anybody who runs as that user can open the vault meanwhile.
public struct UnlockCache: Sendable {
  /// Where keys are kept.
  public enum Mode: String, Hashable, Sendable {
    /// In the kernel's keyring if it can be used, otherwise in an agent.
    case automatic = "auto"
    /// Only in the kernel's keyring.
    case keyring
    /// Only in an agent.
    case agent
    /// Nowhere. Then keys are not looked up, either.
    case none
  }

  /// Where keys are kept and looked up.
  public var mode: Mode
  /// How long keys are kept from now on.
  public var limits: UnlockLimits
  /// Whether looking up a key counts as a use, which restarts the idle time.
  public var renews: Bool

  private let agent: AgentClient

  /// - Parameters:
  ///   - mode: where keys are kept and looked up.
  ///   - limits: how long keys are kept.
  ///   - runtimeFolder: the value of `XDG_RUNTIME_DIR`, which contains the agent's folder; it must be this user's
  ///     own.
  ///   - stateFolder: the alternative folder for the agent's socket.
  ///   - program: the program that becomes an agent if one is needed. Without it, only a running agent is used.
  public init(
    mode: Mode = .automatic, limits: UnlockLimits = UnlockLimits(), runtimeFolder: String?,
    stateFolder: String, program: AgentProgram? = nil
  ) {
    self.mode = mode
    self.limits = limits
    agent = AgentClient(
      places: AgentPlaces(runtimeFolder: runtimeFolder, stateFolder: stateFolder), program: program)
    renews = true
  }

  /// The key of a vault; `nil` if none is kept, or its keeper doesn't answer.
  package func key(of uuid: String) -> KeptKey? {
    if mode == .automatic || mode == .keyring {
      if let key = KernelKeyring.key(of: uuid, renews: renews) { return key }
    }
    // Tried even if the keyring can be used: it may have been full when the key was kept.
    if mode == .automatic || mode == .agent { return agent.key(of: uuid, renews: renews) }
    return nil
  }

  /// Keeps a vault's key.
  ///
  /// - Parameter authenticationKey: 32 bytes.
  /// - Returns: the keeper; `nil` if the mode is `none`.
  /// - Throws: ``KeychainError/system(operation:path:errno:)``, ``KeychainError/unsafeFile(path:_:)`` and
  ///   ``KeychainError/unavailable(reason:)`` if it can't be kept.
  @discardableResult
  package func keep(
    _ identity: X25519Identity, _ authenticationKey: borrowing Secret, of uuid: String
  ) throws(KeychainError) -> UnlockState.Kind? {
    switch mode {
    case .none: return nil
    case .keyring:
      try KernelKeyring.keep(identity, authenticationKey, of: uuid, limits)
      return .keyring
    case .agent:
      try agent.keep(identity, authenticationKey, of: uuid, limits)
      return .agent
    case .automatic:
      do throws(KeychainError) {
        try KernelKeyring.keep(identity, authenticationKey, of: uuid, limits)
        return .keyring
      } catch {
        try agent.keep(identity, authenticationKey, of: uuid, limits)
        return .agent
      }
    }
  }

  /// How long a vault stays unlocked; `nil` if no key of it is kept.
  public func state(of uuid: String) -> UnlockState? {
    if mode == .automatic || mode == .keyring, let state = KernelKeyring.state(of: uuid) { return state }
    return mode == .automatic || mode == .agent ? agent.state(of: uuid) : nil
  }

  /// Forgets the key of a vault, or the keys of all vaults, wherever they are kept.
  ///
  /// - Parameter uuid: the vault; `nil` for all vaults of this user.
  /// - Returns: the keepers that may still have it; empty if it is forgotten.
  @discardableResult
  public func forget(_ uuid: String?) -> [UnlockKeeper] {
    let isForgotten =
      if let uuid { KernelKeyring.forget(uuid) } else { KernelKeyring.forgetAll() }
    return (isForgotten ? [] : [.keyring]) + agent.forget(uuid).map { .agent(folder: $0) }
  }
}

/// A keeper that may still have a key that it was told to forget.
public enum UnlockKeeper: Hashable, Sendable {
  /// The kernel's keyring, which would not drop it.
  case keyring
  /// An agent that is alive and doesn't answer. It holds the file `agent.lock` in that folder.
  case agent(folder: String)
}
