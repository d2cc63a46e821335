import Age

/// The protocol between an agent and its clients.
///
/// Frames are a length, four bytes in big endian, and that many bytes. A request is the protocol's version, an
/// operation and its arguments; a reply is an outcome and the operation's result. One connection carries any number of
/// requests, each answered before the next.
enum AgentProtocol {
  static let version: UInt8 = 1
  /// In bytes.
  static let lengthSize = 4
  /// The largest request or reply in bytes, without its length.
  static let maximumSize = 256
  /// In bytes.
  static let uuidSize = 36

  enum Operation: UInt8 {
    /// uuid, idle and total seconds (u32 each), secret key, recipient, authentication key. Keeps a vault's key.
    case keep = 1
    /// uuid, recipient, share, body. Returns the file key of an X25519 stanza, if the kept key is that recipient's.
    case unwrap
    /// uuid, 1 for a use or else 0, 1 if there is a stanza or else 0, share, body. Returns recipient, authentication
    /// key, 1 if the key opens that X25519 stanza or else 0, file key.
    case describe
    /// uuid. Returns the remaining idle seconds and the remaining seconds in total, u32 each.
    case state
    /// uuid. Forgets the vault's key.
    case forget
    /// Forgets all keys.
    case forgetAll

    /// In bytes.
    var argumentSize: Int {
      switch self {
      case .keep: uuidSize + 8 + 3 * KeptKey.keySize
      case .unwrap: uuidSize + KeptKey.keySize + X25519WrappedKey.shareSize + X25519WrappedKey.bodySize
      case .describe: uuidSize + 2 + X25519WrappedKey.shareSize + X25519WrappedKey.bodySize
      case .state, .forget: uuidSize
      case .forgetAll: 0
      }
    }

    /// In bytes.
    var resultSize: Int {
      switch self {
      case .keep, .forget, .forgetAll: 0
      case .unwrap: FileKey.size
      case .describe: 2 * KeptKey.keySize + 1 + FileKey.size
      case .state: 8
      }
    }
  }

  enum Outcome: UInt8 {
    case done = 0
    /// The agent doesn't keep a key of that vault, or another one than the requested.
    case notKept
    /// The stanza is not for that vault's identity.
    case noMatch
    /// The stanza's share is of low order.
    case lowOrder
    /// The agent keeps as many keys as it can.
    case full
  }
}
