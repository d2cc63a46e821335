import Age
import Keychain

/// A vault's own stanzas in the header: its identifier, and the slots with its identity. Stock age ignores them as
/// unknown stanzas (C2SP age.md, "Header").
struct VaultStanzas {
  /// A way to get the vault's identity: a whole age file whose plaintext is an age identity file.
  struct Slot {
    /// Random, 16 hexadecimal digits.
    let id: String
    /// Kinds that this version doesn't know are kept.
    let kind: SlotKind
    let file: [UInt8]

    var isKnown: Bool { if case .other = kind { false } else { true } }

    /// Its copy's name beside the vault.
    var fileName: String { id + Self.fileExtension }
    static let fileExtension = ".age"
  }

  /// The vault's identifier for its whole life.
  let uuid: String
  let slots: [Slot]
  /// llavero's stanzas as read, so that newer versions' additions survive a change; `nil` for a vault in the making.
  private let read: [Stanza]?

  private static let vaultType = "llavero/vault"
  private static let slotType = "llavero/slot"
  private static let prefix = "llavero/"
  static let version = 1
  private static let versionText = "1"

  init(uuid: String, slots: [Slot]) {
    self.uuid = uuid
    self.slots = slots
    read = nil
  }

  private init(uuid: String, slots: [Slot], stanzas: [Stanza]) {
    self.uuid = uuid
    self.slots = slots
    read = stanzas
  }

  /// The same vault with other slots. Additions of newer versions stay, also in the stanzas of slots that stay.
  func replacingSlots(with new: [Slot]) throws(AgeError) -> VaultStanzas {
    var old: [String: Stanza] = [:]
    var stanzas: [Stanza] = []
    for stanza in try encoded() {
      if Self.isSlot(stanza) { old[stanza.arguments[1]] = stanza } else { stanzas.append(stanza) }
    }
    for slot in new {
      let further = old[slot.id]?.arguments.dropFirst(3) ?? []
      stanzas.append(
        try Stanza(
          type: Self.slotType, arguments: [Self.versionText, slot.id, slot.kind.name] + further,
          body: slot.file))
    }
    return VaultStanzas(uuid: uuid, slots: new, stanzas: stanzas)
  }

  /// Whether there are slots that this version can't even list.
  var hasForeignSlots: Bool {
    read?.contains { $0.type == Self.slotType && !Self.isSlot($0) } ?? false
  }

  private static func isSlot(_ stanza: Stanza) -> Bool {
    stanza.type == slotType && stanza.arguments.count >= 3 && stanza.arguments[0] == versionText
  }

  /// - Throws: ``KeychainError/damaged(path:detail:)`` if this is an age file but no vault, or doesn't have exactly
  ///   one payload recipient; ``KeychainError/newerFormat(path:version:)``.
  init(_ stanzas: [Stanza], path: String) throws(KeychainError) {
    guard let vault = stanzas.first(where: { $0.type == Self.vaultType }), let version = vault.arguments.first
    else { throw .damaged(path: path, detail: "it is an age file, but not a keychain of llavero") }
    guard version == Self.versionText else {
      guard version.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
        throw .damaged(path: path, detail: "its header is malformed")
      }
      throw .newerFormat(path: path, version: Int(version) ?? .max)
    }
    guard vault.arguments.count >= 2, isUUID(vault.arguments[1]) else {
      throw .damaged(path: path, detail: "its header is malformed")
    }
    uuid = vault.arguments[1]
    var slots: [Slot] = []
    var ours: [Stanza] = []
    var recipients = 0
    for stanza in stanzas {
      guard stanza.type.hasPrefix(Self.prefix) else {
        recipients += 1
        continue
      }
      ours.append(stanza)
      switch stanza.type {
      case Self.slotType where Self.isSlot(stanza):
        guard Self.isSlotID(stanza.arguments[1]) else {
          throw .damaged(path: path, detail: "its header is malformed")
        }
        slots.append(Slot(id: stanza.arguments[1], kind: SlotKind(stanza.arguments[2]), file: stanza.body))
      default: break
      }
    }
    // Only the vault's own identity opens its payload; a second recipient would let somebody else in.
    guard recipients == 1 else {
      throw .damaged(path: path, detail: "it is encrypted for other recipients than its own identity")
    }
    guard Self.areWithinBounds(slots) else {
      throw .damaged(path: path, detail: "it has too many slots")
    }
    self.slots = slots
    read = ours
  }

  /// Whether a vault can have these slots: ``VaultBounds/slots``, and ``VaultBounds/slotsThatTakeLong``.
  static func areWithinBounds(_ slots: [Slot]) -> Bool {
    slots.count <= VaultBounds.slots && slots.count { $0.kind.takesLong } <= VaultBounds.slotsThatTakeLong
  }

  /// As many of the further slots, from the first on, as a vault with the present ones can have.
  static func fitting(_ further: [Slot], besides present: [Slot] = []) -> [Slot] {
    var room = VaultBounds.slots - present.count
    var roomForLong = VaultBounds.slotsThatTakeLong - present.count { $0.kind.takesLong }
    return further.filter { slot in
      guard room > 0, !slot.kind.takesLong || roomForLong > 0 else { return false }
      room -= 1
      if slot.kind.takesLong { roomForLong -= 1 }
      return true
    }
  }

  /// Whether the identifier is valid. It becomes a file name, so it must not contain a path.
  static func isSlotID(_ id: String) -> Bool {
    1...64 ~= id.utf8.count && id.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x7a ~= $0 }
  }

  func encoded() throws(AgeError) -> [Stanza] {
    if let read { return read }
    var stanzas = [try Stanza(type: Self.vaultType, arguments: [Self.versionText, uuid])]
    for slot in slots {
      stanzas.append(
        try Stanza(
          type: Self.slotType, arguments: [Self.versionText, slot.id, slot.kind.name], body: slot.file))
    }
    return stanzas
  }
}
