public import Keychain

/// A way into a vault, as far as it can be told without opening it.
public struct SlotSummary: Hashable, Sendable {
  /// The slot's identifier, or `identity-file`.
  public let id: String
  /// The kind of the way in.
  public let kind: SlotKind
  /// When it was added; `nil` if that isn't known, or the vault is locked.
  public var added: Timestamp?
  /// The recipient, if it is for a key and the vault is unlocked.
  public var recipient: String?
  /// What whoever added it calls it, at most ``labelLimit`` bytes; `nil` if it has no name, or the vault is locked.
  public var label: String?
  /// The file that opens it on this machine, if one is noted.
  public var identityPath: String?
  /// The program whose output opens it on this machine, with its arguments, if one is noted.
  public var command: [String]?
  /// Whether it can't be used because it is not an age file.
  public var isDamaged = false

  init(id: String, kind: SlotKind) {
    self.id = id
    self.kind = kind
  }

  /// The longest ``label``, in bytes of UTF-8.
  public static let labelLimit = 100

  /// Whether a text can be a ``label``.
  package static func canBeLabel(_ text: String) -> Bool { (try? refuseUnusable(label: text)) != nil }

  /// Refuses a text that can't be a label.
  ///
  /// - Throws: `KeychainError.unusableAttribute`
  package static func refuseUnusable(label: String) throws(KeychainError) {
    try SlotNotes.refuseUnusable(label: label)
  }

  /// The ``id`` of the identity file.
  public static let identityFileID = "identity-file"
}
