import Keychain

/// Where a client connects.
enum EntryPoint: Hashable, Sendable {
  /// The socket for ssh, where hosts are verified.
  case forwarding
  /// The socket of this name, for unverified clients such as a container. Everyone who reaches it has the socket's
  /// permissions.
  case socket(ByteString)
  /// The socket of `llavero forward`, by which the person controls the agent.
  case control
}
