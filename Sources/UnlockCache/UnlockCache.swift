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

  private let agent: AgentClient

  /// - Parameters:
  ///   - mode: where keys are kept and looked for.
  ///   - limits: for how long keys are kept.
  ///   - runtimeFolder: the value of `XDG_RUNTIME_DIR`, in which the agent's folder is; it has to be this user's own.
  ///   - stateFolder: where the agent's socket is else.
  ///   - program: what becomes an agent where one is needed. Without it only one that runs already is used.
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

  /// The key of a vault; `nil` if none is kept, or what keeps it doesn't answer.
  package func key(of uuid: String) -> KeptKey? {
    if mode == .automatic || mode == .keyring {
      if let key = KernelKeyring.key(of: uuid, renews: renews) { return key }
    }
    // Also where the keyring can be used: it may have been full when the key was kept.
    if mode == .automatic || mode == .agent { return agent.key(of: uuid, renews: renews) }
    return nil
  }

  /// Keeps a vault's key.
  ///
  /// - Parameter authenticationKey: 32 bytes.
  /// - Returns: what keeps it; `nil` where nothing is to.
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

  /// Forgets the key of a vault, whatever keeps it, or of all vaults.
  ///
  /// - Parameter uuid: the vault; `nil` for all of this user's.
  /// - Returns: what may keep it nevertheless; nothing if it is forgotten.
  @discardableResult
  public func forget(_ uuid: String?) -> [UnlockKeeper] {
    let isForgotten =
      if let uuid { KernelKeyring.forget(uuid) } else { KernelKeyring.forgetAll() }
    return (isForgotten ? [] : [.keyring]) + agent.forget(uuid).map { .agent(folder: $0) }
  }
}

/// What may keep a key though it was told to forget it.
public enum UnlockKeeper: Hashable, Sendable {
  /// The kernel's keyring, which would not drop it.
  case keyring
  /// An agent that lives and doesn't answer. It holds the file `agent.lock` in that folder.
  case agent(folder: String)
}
