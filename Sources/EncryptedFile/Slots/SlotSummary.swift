public import Keychain

/// A way into a vault, as far as it can be told without opening it.
public struct SlotSummary: Hashable, Sendable {
  /// What names it: the slot's identifier, or `identity-file`.
  public let id: String
  /// What it is.
  public let kind: SlotKind
  /// When it was added; `nil` if that isn't known, or the vault is locked.
  public var added: Timestamp?
  /// Whom it is for, where that is a key and the vault is unlocked.
  public var recipient: String?
  /// The file that opens it on this machine, where one is noted.
  public var identityPath: String?
  /// The program whose output opens it on this machine, with its arguments, where one is noted.
  public var command: [String]?
  /// Whether it can't be used, for it is not an age file.
  public var isDamaged = false

  init(id: String, kind: SlotKind) {
    self.id = id
    self.kind = kind
  }

  /// What ``id`` is for the identity file.
  public static let identityFileID = "identity-file"
}
