package import Age
import Bytes
import Glibc
package import Keychain

/// How long a vault stays unlocked.
public struct UnlockState: Hashable, Sendable {
  /// The least number of seconds left, without use.
  public let idle: Int
  /// The number of seconds left in any case.
  public let total: Int
}

/// A cache that keeps the keys of vaults for a while, so that a passphrase is typed only once. An agent keeps them for
/// all processes of this user: anybody who runs as that user can open the vault meanwhile.
public struct UnlockCache: Sendable {
  /// Where keys are kept.
  public enum Mode: String, Hashable, Sendable {
    /// In an agent, a process of this user.
    case agent
    /// Nowhere. Then keys are not looked up, either.
    case none
  }

  /// Where keys are kept and looked up.
  public var mode: Mode
  /// How long keys are kept from now on.
  public var limits: UnlockLimits
  /// Whether looking up a key counts as a use, which restarts the idle time.
  public var renews = true

  /// Folders that may have an agent, best first; relative paths are ignored.
  let places: AgentPlaces
  /// Becomes the agent; `nil` starts none.
  private let program: AgentProgram?

  /// - Parameters:
  ///   - mode: where keys are kept and looked up.
  ///   - limits: how long keys are kept.
  ///   - runtimeFolder: the value of `XDG_RUNTIME_DIR`, with the agent's folder; it must be this user's own.
  ///   - stateFolder: the alternative folder for the agent's socket.
  ///   - program: becomes an agent if one is needed. Without it, only a running agent is used.
  public init(
    mode: Mode = .agent, limits: UnlockLimits = UnlockLimits(), runtimeFolder: String?,
    stateFolder: String, program: AgentProgram? = nil
  ) {
    self.mode = mode
    self.limits = limits
    places = AgentPlaces(runtimeFolder: runtimeFolder, stateFolder: stateFolder)
    self.program = program
  }

  /// The key of a vault; `nil` if none is kept, or its agent doesn't answer.
  ///
  /// - Parameter stanzas: those of the header to be opened with it, which saves a request.
  package func key(of uuid: String, toOpen stanzas: [Stanza] = []) -> KeptKey? {
    if mode == .none { return nil }
    let stanza = stanzas.first { $0.type == X25519WrappedKey.stanzaType }
    let wrapped = stanza.flatMap { try? X25519WrappedKey($0) }
    var arguments = Self.arguments(uuid)
    arguments.append(renews ? 1 : 0)
    arguments.append(wrapped == nil ? 0 : 1)
    let nothing = [UInt8](repeating: 0, count: X25519WrappedKey.shareSize + X25519WrappedKey.bodySize)
    (wrapped.map { $0.share + $0.body } ?? nothing).withUnsafeBytes { arguments.append($0) }
    for folder in places.folders {
      guard let reply = AgentRequest.ask(folder, .describe, arguments), reply.outcome == .done
      else { continue }
      return reply.result.withUnsafeBytes { keys -> KeptKey? in
        let size = KeptKey.keySize
        guard let recipient = try? X25519Recipient(publicKey: Array(keys.part(0, size))) else { return nil }
        let isOpened = keys[2 * size] != 0
        return KeptKey(
          identity: AgentIdentity(uuid: uuid, recipient, in: folder), recipient: recipient,
          authenticationKey: Secret(copying: keys.part(size, size)),
          fileKey: isOpened ? try? FileKey(bytes: keys.part(2 * size + 1, FileKey.size)) : nil)
      }
    }
    return nil
  }

  /// Keeps a vault's key, replacing a kept one; does nothing if the mode is `none`.
  ///
  /// - Parameter authenticationKey: 32 bytes.
  /// - Throws: ``KeychainError/unavailable(reason:)``, ``KeychainError/system(operation:path:errno:)`` and
  ///   ``KeychainError/unsafeFile(path:_:)`` if there can be no agent.
  package func keep(
    _ identity: X25519Identity, _ authenticationKey: borrowing Secret, of uuid: String
  ) throws(KeychainError) {
    if mode == .none { return }
    var arguments = Self.arguments(uuid)
    arguments.append(bigEndian: UInt32(limits.idle))
    arguments.append(bigEndian: UInt32(limits.total))
    identity.withSecretKey { arguments.append($0) }
    identity.recipient.publicKey.withUnsafeBytes { arguments.append($0) }
    arguments.append(authenticationKey)
    let folder = places.own
    let deadline = SystemClock.sinceBoot + 2 * AgentRequest.patience
    // An agent that is just ending no longer answers, and another takes its place.
    while true {
      if let reply = AgentRequest.ask(folder, .keep, arguments) {
        if reply.outcome == .done {
          places.note(folder)
          return
        }
        throw .unavailable(reason: "the agent keeps as many keys as it can")
      }
      if SystemClock.sinceBoot >= deadline { throw .unavailable(reason: "the agent does not answer") }
      guard let program else { throw .unavailable(reason: "there is no agent") }
      guard Agent.canLockMemory else {
        throw .unavailable(
          reason: "no memory can be locked for the agent that would keep the key ('ulimit -l')")
      }
      try program.start(in: folder)
      usleep(1000)
    }
  }

  /// How long a vault stays unlocked; `nil` if no key of it is kept.
  public func state(of uuid: String) -> UnlockState? {
    if mode == .none { return nil }
    for folder in places.folders {
      guard let reply = AgentRequest.ask(folder, .state, Self.arguments(uuid)), reply.outcome == .done
      else { continue }
      return reply.result.withUnsafeBytes {
        UnlockState(
          idle: Int($0.bigEndian(at: 0, UInt32.self)), total: Int($0.bigEndian(at: 4, UInt32.self)))
      }
    }
    return nil
  }

  /// Forgets the key of a vault, or the keys of all vaults, whatever the mode is.
  ///
  /// - Parameter uuid: the vault; `nil` for all vaults of this user.
  /// - Returns: the folders of live agents that have not confirmed it, each holding the file `agent.lock` there.
  ///   Empty if it is forgotten.
  @discardableResult
  public func forget(_ uuid: String?) -> [String] {
    places.allFolders.filter { !isForgotten(uuid, by: $0) }
  }

  private func isForgotten(_ uuid: String?, by folder: String) -> Bool {
    let deadline = SystemClock.sinceBoot + AgentRequest.patience
    while true {
      let reply =
        if let uuid {
          AgentRequest.ask(folder, .forget, Self.arguments(uuid))
        } else {
          AgentRequest.ask(folder, .forgetAll, Secret())
        }
      if reply != nil || !AgentProgram.lives(in: folder) { return true }
      // It may be about to end, or to listen.
      if SystemClock.sinceBoot >= deadline { return false }
      usleep(10_000)
    }
  }

  /// The first arguments of every request about a vault.
  private static func arguments(_ uuid: String) -> Secret {
    Secret(copying: ByteString(uuid))
  }
}
