import Keychain

/// A person's marks on an entry, which become tags of the item. Each program has a field of its own for them.
enum EntryMark {
  static let favorite: ByteString = "favorite"
  static let archived: ByteString = "archived"

  /// The names of the fields in small letters, with their tags.
  private static let tags: [ByteString: ByteString] = [
    "favorite": favorite, "fav": favorite, "favindex": favorite, "faveindex": favorite, "pinned": favorite,
    "archived": archived, "archiveddate": archived, "reprompt": "reprompt",
  ]

  /// The tag of a field; `nil` if it is no mark.
  static func tag(ofField name: ByteString) -> ByteString? { tags[name] }
}

extension SourceEntry {
  /// Takes all marks. Returns their tags, and a field for each mark with a date.
  mutating func takeMarks() -> (tags: [ByteString], fields: [(name: ByteString, value: ByteString)]) {
    var tags: [ByteString] = []
    var fields: [(name: ByteString, value: ByteString)] = []
    for (index, tag) in marks {
      let name = name(at: index)
      let text = text(at: index)
      if !tags.contains(tag) { tags.append(tag) }
      // It is no longer used, whatever was changed last.
      if tag == EntryMark.archived { mayBeDiscarded = true }
      let isPlain = text.isEqualIgnoringCase("true") || text.bytes.allSatisfy { 0x30...0x39 ~= $0 }
      if !isPlain { fields.append((name, text)) }
    }
    return (tags, fields)
  }
}
