import Age
import Bytes
import Glibc
import Keychain
import PrivateFiles

/// A client that keeps vaults unlocked with an agent.
struct AgentClient: Sendable {
  /// The folders of possible agents, best first; relative paths are ignored.
  let places: AgentPlaces
  /// The program that becomes the agent; `nil` if none is to be started.
  let program: AgentProgram?

  /// The key of a vault; `nil` if no agent keeps it.
  ///
  /// - Parameter renews: whether this counts as a use, which restarts the idle time.
  func key(of uuid: String, renews: Bool) -> KeptKey? {
    var arguments = Self.arguments(uuid)
    arguments.append(renews ? 1 : 0)
    for folder in places.folders {
      let connection = AgentConnection(to: folder)
      guard let reply = connection.ask(.describe, arguments), reply.outcome == .done else { continue }
      return reply.result.withUnsafeBytes { keys -> KeptKey? in
        let recipient = try? X25519Recipient(publicKey: Array(keys.prefix(KeptKey.keySize)))
        guard let recipient else { return nil }
        return KeptKey(
          identity: AgentIdentity(uuid: uuid, recipient, connection), recipient: recipient,
          authenticationKey: Secret(
            copying: UnsafeRawBufferPointer(rebasing: keys[KeptKey.keySize...])))
      }
    }
    return nil
  }

  /// Keeps a vault's key, replacing one that is already kept.
  ///
  /// - Throws: ``KeychainError/unavailable(reason:)``, ``KeychainError/system(operation:path:errno:)``,
  ///   ``KeychainError/unsafeFile(path:_:)`` if there can be no agent.
  func keep(
    _ identity: X25519Identity, _ authenticationKey: borrowing Secret, of uuid: String, _ limits: UnlockLimits
  ) throws(KeychainError) {
    var arguments = Self.arguments(uuid)
    arguments.append(bigEndian: UInt32(limits.idle))
    arguments.append(bigEndian: UInt32(limits.total))
    identity.withSecretKey { arguments.append($0) }
    identity.recipient.publicKey.withUnsafeBytes { arguments.append($0) }
    arguments.append(authenticationKey)
    let folder = places.own
    let deadline = SystemClock.sinceBoot + 2 * AgentConnection.patience
    // An agent that is just ending no longer answers, and another takes its place.
    while true {
      if let reply = AgentConnection(to: folder).ask(.keep, arguments) {
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

  /// How long a vault stays unlocked; `nil` if no agent keeps its key.
  func state(of uuid: String) -> UnlockState? {
    for folder in places.folders {
      guard let reply = AgentConnection(to: folder).ask(.state, Self.arguments(uuid)), reply.outcome == .done
      else { continue }
      return reply.result.withUnsafeBytes {
        UnlockState(
          kind: .agent, idle: Int($0.bigEndian(at: 0, UInt32.self)),
          total: Int($0.bigEndian(at: 4, UInt32.self)))
      }
    }
    return nil
  }

  /// Forgets a vault's key, or those of all vaults.
  ///
  /// - Returns: the folders of agents that are alive and have not confirmed it.
  func forget(_ uuid: String?) -> [String] {
    places.allFolders.filter { !isForgotten(uuid, by: $0) }
  }

  private func isForgotten(_ uuid: String?, by folder: String) -> Bool {
    let deadline = SystemClock.sinceBoot + AgentConnection.patience
    while true {
      let connection = AgentConnection(to: folder)
      let reply =
        if let uuid {
          connection.ask(.forget, Self.arguments(uuid))
        } else {
          connection.ask(.forgetAll, Secret())
        }
      if reply != nil || !AgentProgram.lives(in: folder) { return true }
      // It may be about to end, or to listen.
      if SystemClock.sinceBoot >= deadline { return false }
      usleep(10_000)
    }
  }

  /// The arguments that every request about a vault begins with.
  fileprivate static func arguments(_ uuid: String) -> Secret {
    Secret(copying: ByteString(uuid))
  }
}

/// The folders of this user's agents.
struct AgentPlaces: Sendable {
  /// `XDG_RUNTIME_DIR` in the environment, if it is set.
  let runtimeFolder: String?
  /// The folder of the files that belong to this machine alone.
  let stateFolder: String

  /// The folder for a new agent: in the runtime folder if that belongs only to this user, which it doesn't after
  /// su(1).
  var own: String { folders.first ?? stateFolder }

  /// The folders of possible agents, which need not exist.
  var folders: [String] {
    guard let runtimeFolder, runtimeFolder.hasPrefix("/"),
      let folder = try? Folder(opening: runtimeFolder), folder.descriptor >= 0
    else { return [stateFolder] }
    return [runtimeFolder + "/llavero", stateFolder]
  }

  /// The same, and those of all agents that were given a key: this process may have another `XDG_RUNTIME_DIR`, or
  /// none.
  var allFolders: [String] {
    let folders = folders
    return folders + noted.filter { $0.hasPrefix("/") && !folders.contains($0) }
  }

  private var notes: LineLog { LineLog(in: stateFolder, named: "agent.folders", maximumSize: 1 << 14) }

  /// The folders that were noted, each once.
  private var noted: [String] {
    var folders: [String] = []
    var position = LineLog.Position()
    notes.read(from: &position) { line in
      if let folder = String(validating: line, as: UTF8.self), !folders.contains(folder) {
        folders.append(folder)
      }
    }
    return folders
  }

  /// Notes the folder of an agent that keeps a key. If that fails, only `XDG_RUNTIME_DIR` leads there.
  func note(_ folder: String) {
    if folder == stateFolder || noted.contains(folder) { return }
    notes.append(Secret(folder + "\n"))
  }
}

/// An identity held by an agent.
private final class AgentIdentity: Identity {
  private let uuid: String
  private let recipient: X25519Recipient
  private let connection: AgentConnection

  init(uuid: String, _ recipient: X25519Recipient, _ connection: AgentConnection) {
    self.uuid = uuid
    self.recipient = recipient
    self.connection = connection
  }

  /// Whether this is the identity that the agent keeps for the vault now.
  private func isKept() -> Bool {
    var arguments = AgentClient.arguments(uuid)
    arguments.append(0)
    guard let reply = connection.ask(.describe, arguments), reply.outcome == .done else { return false }
    return reply.result.withUnsafeBytes { $0.prefix(KeptKey.keySize).elementsEqual(recipient.publicKey) }
  }

  /// Unwraps the file key from the first X25519 stanza that the identity opens.
  ///
  /// - Throws: ``AgeError/identityGone`` if the agent no longer keeps the identity.
  func unwrap(_ stanzas: [Stanza]) throws(AgeError) -> FileKey? {
    for stanza in stanzas where stanza.type == X25519WrappedKey.stanzaType {
      let wrapped = try X25519WrappedKey(stanza)
      var arguments = AgentClient.arguments(uuid)
      wrapped.share.withUnsafeBytes { arguments.append($0) }
      wrapped.body.withUnsafeBytes { arguments.append($0) }
      guard let reply = connection.ask(.unwrap, arguments) else { throw .identityGone }
      switch reply.outcome {
      case .done:
        // Since this identity was found, the vault may have got another key, and the agent that key.
        guard isKept() else { throw .identityGone }
        return try reply.result.withUnsafeBytes { (key) throws(AgeError) in try FileKey(bytes: key) }
      case .lowOrder: throw .header(.x25519LowOrder)
      case .noMatch: continue
      case .notKept, .full: throw .identityGone
      }
    }
    return nil
  }
}
