public import Keychain

/// A way into a vault, as far as known without opening it.
public struct SlotSummary: Hashable, Sendable {
  /// The slot's identifier, or `identity-file`.
  public let id: String
  /// The kind of the way in.
  public let kind: SlotKind
  /// When it was added; `nil` if unknown, or if the vault is locked.
  public var added: Timestamp?
  /// The recipient, if it is for a key and the vault is unlocked.
  public var recipient: String?
  /// Its name by the person who added it, at most ``labelLimit`` bytes; `nil` without one, or if the vault is locked.
  public var label: String?
  /// The noted file that opens it on this machine.
  public var identityPath: String?
  /// The noted program, with arguments, whose output opens it on this machine.
  public var command: [String]?
  /// Whether it can't be used because it is not an age file.
  public var isDamaged = false

  init(id: String, kind: SlotKind) {
    self.id = id
    self.kind = kind
  }

  /// The longest ``label``, in bytes of UTF-8.
  public static let labelLimit = 100

  package static func canBeLabel(_ text: String) -> Bool { (try? refuseUnusable(label: text)) != nil }

  /// - Throws: `KeychainError.unusableAttribute` for text that can't be a label.
  package static func refuseUnusable(label: String) throws(KeychainError) {
    try SlotNotes.refuseUnusable(label: label)
  }

  /// The ``id`` of the identity file.
  public static let identityFileID = "identity-file"
}
