import Age

/// What an agent and its clients say to each other on their socket.
///
/// Frames: a length, four bytes in big endian, and so many bytes. A request is the protocol's version, an operation and
/// what that takes; the reply an outcome and what the operation gives. One connection carries any number of requests,
/// each answered before the next.
enum AgentProtocol {
  static let version: UInt8 = 1
  /// Bytes of a frame's length.
  static let lengthSize = 4
  /// The most bytes of a request, or of a reply, without its length.
  static let maximumSize = 256
  /// Bytes of a vault's name.
  static let uuidSize = 36

  enum Operation: UInt8 {
    /// uuid, idle and total seconds (u32 each), secret key, recipient, authentication key. Keeps a vault's key.
    case keep = 1
    /// uuid, share, body. Gives the file key of an X25519 stanza.
    case unwrap
    /// uuid, 1 for a use or else 0. Gives recipient and authentication key.
    case describe
    /// uuid. Gives the idle seconds and the seconds that are left, u32 each.
    case state
    /// uuid.
    case forget
    /// Forgets all keys.
    case forgetAll

    /// How many bytes it takes.
    var argumentSize: Int {
      switch self {
      case .keep: uuidSize + 8 + 3 * KeptKey.keySize
      case .unwrap: uuidSize + X25519WrappedKey.shareSize + X25519WrappedKey.bodySize
      case .describe: uuidSize + 1
      case .state, .forget: uuidSize
      case .forgetAll: 0
      }
    }

    /// How many bytes it gives.
    var resultSize: Int {
      switch self {
      case .keep, .forget, .forgetAll: 0
      case .unwrap: FileKey.size
      case .describe: 2 * KeptKey.keySize
      case .state: 8
      }
    }
  }

  enum Outcome: UInt8 {
    case done = 0
    /// The agent keeps no key of that vault.
    case notKept
    /// The stanza is not for that vault's identity.
    case noMatch
    /// The stanza's share is of low order.
    case lowOrder
    /// The agent keeps as many keys as it can.
    case full
  }
}
