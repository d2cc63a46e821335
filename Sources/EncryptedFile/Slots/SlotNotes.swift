import Bytes
import Keychain

extension SlotSummary {
  mutating func describe(by note: SlotNotes.Note?) {
    added = note?.added
    recipient = note?.recipient
    label = note?.label
  }
}

/// The notes about slots in the first line of the plaintext: the members `slots` and `removed_slots`. Reading them
/// takes an unlocked vault, and changing them its identity.
struct SlotNotes {
  struct Note {
    let id: String
    /// When it was added; `nil` if unknown.
    var added: Timestamp?
    /// The recipient of a slot for a key.
    var recipient: String?
    /// A name by the person who added it, for people alone.
    var label: String?
    /// Members from newer versions, as raw JSON.
    fileprivate var unknown: [(name: [UInt8], value: [UInt8])] = []

    init(id: String, added: Timestamp?, recipient: String? = nil, label: String? = nil) {
      self.id = id
      self.added = added
      self.recipient = recipient
      self.label = label
    }
  }

  /// At most one for each slot.
  var notes: [Note] = []
  /// Removed slots, so that no copy of the vault that still has them brings them back.
  private(set) var removed: [String] = []

  private static let slotsName = Array("slots".utf8)
  private static let removedName = Array("removed_slots".utf8)

  /// - Throws: ``KeychainError/damaged(path:detail:)`` if the members have another form.
  init(_ head: VaultHead, path: String) throws(KeychainError) {
    do throws(JSONReader.Malformed) {
      for (name, value) in head.otherMembers {
        if name == Self.slotsName {
          notes = try value.lendingBytes { (text) throws(JSONReader.Malformed) in try Self.notes(text) }
        } else if name == Self.removedName {
          removed = try value.lendingBytes { (text) throws(JSONReader.Malformed) in
            var removed: [String] = []
            try JSONReader.elements(of: text) { (id) throws(JSONReader.Malformed) in
              removed.append(try id.string().description)
            }
            return removed
          }
        }
      }
    } catch {
      throw .damaged(path: path, detail: "its notes about slots are malformed")
    }
  }

  /// Checks a slot's new name.
  ///
  /// - Throws: ``KeychainError/unusableAttribute(name:_:)`` if it is empty, longer than ``SlotSummary/labelLimit``,
  ///   or has control characters.
  static func refuseUnusable(label: String) throws(KeychainError) {
    if label.isEmpty { throw .unusableAttribute(name: "label", .empty) }
    if label.utf8.count > SlotSummary.labelLimit {
      throw .unusableAttribute(name: "label", .tooLong(limit: SlotSummary.labelLimit))
    }
    if label.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
      throw .unusableAttribute(name: "label", .controlCharacter)
    }
  }

  subscript(id: String) -> Note? { notes.first { $0.id == id } }

  /// Replaces the former note about the slot.
  mutating func set(_ note: Note) {
    notes.removeAll { $0.id == note.id }
    notes.append(note)
  }

  /// Remembers a slot's removal, and removes its note unless the slot stays, because nothing else opens the vault.
  mutating func remove(_ id: String, keepingNote: Bool = false) {
    if !keepingNote { notes.removeAll { $0.id == id } }
    if !removed.contains(id) { removed.append(id) }
  }

  /// Adds notes about a vault's slots that only an older state has.
  mutating func complete(from older: SlotNotes, for slots: [VaultStanzas.Slot]) {
    for slot in slots where self[slot.id]?.recipient == nil {
      if let note = older[slot.id], self[slot.id] == nil || note.recipient != nil { set(note) }
    }
  }

  /// Makes the notes agree with a restored vault's slots: each has a note, and all others count as removed.
  mutating func agree(with slots: [VaultStanzas.Slot], instead former: [VaultStanzas.Slot]) {
    let ids = Set(slots.map(\.id))
    for id in notes.map(\.id) + former.map(\.id) where !ids.contains(id) { remove(id) }
    removed.removeAll { ids.contains($0) }
    for slot in slots where self[slot.id] == nil { set(Note(id: slot.id, added: nil)) }
  }

  func write(to head: inout VaultHead) {
    (head[Self.slotsName], head[Self.removedName]) = (nil, nil)
    if !notes.isEmpty {
      var json = JSONWriter()
      json.beginArray()
      for note in notes {
        json.beginObject()
        json.member("id", ByteString(note.id))
        json.member("added", note.added)
        json.member("recipient", note.recipient.map { ByteString($0) })
        json.member("label", note.label.map { ByteString($0) })
        for (name, value) in note.unknown {
          name.withUnsafeBytes { name in value.withUnsafeBytes { json.rawMember(name: name, value: $0) } }
        }
        json.endObject()
      }
      json.endArray()
      head[Self.slotsName] = json.finish().withUnsafeBytes { Array($0) }
    }
    if !removed.isEmpty {
      var json = JSONWriter()
      json.beginArray()
      for id in removed { json.element(ByteString(id)) }
      json.endArray()
      head[Self.removedName] = json.finish().withUnsafeBytes { Array($0) }
    }
  }

  private static func notes(_ text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) -> [Note] {
    var notes: [Note] = []
    try JSONReader.elements(of: text) { (element) throws(JSONReader.Malformed) in
      var id: String?
      var note = Note(id: "", added: nil)
      try JSONReader.members(of: element.raw) { (name, value) throws(JSONReader.Malformed) in
        if name == "id" {
          id = try value.string().description
        } else if name == "added" {
          note.added = try value.timestamp()
        } else if name == "recipient" {
          note.recipient = try value.string().description
        } else if name == "label" {
          note.label = try value.string().description
        } else {
          note.unknown.append((Array(name), Array(value.raw)))
        }
      }
      guard let id else { throw JSONReader.Malformed() }
      var complete = Note(id: id, added: note.added, recipient: note.recipient, label: note.label)
      complete.unknown = note.unknown
      notes.append(complete)
    }
    return notes
  }
}
