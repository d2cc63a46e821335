import Bytes
import Keychain

/// The entries of a KeePass database, for references from each other's fields: `{REF:P@I:UUID}` stands for the password
/// of the entry with that identifier (keepass.info, "Field References").
final class KeePassReferences: XMLElementReader {
  /// The parts of an entry for references.
  struct Entry {
    /// In hexadecimal digits.
    let identifier: ByteString
    private var fields: [ByteString: XMLElement] = [:]

    init(_ element: XMLElement) {
      let bytes = element.child("UUID")?.text.withUnsafeBytes { Secret(base64: $0) } ?? Secret()
      identifier = ByteString(hexadecimal(bytes.withUnsafeBytes { Array($0) }).uppercased())
      for child in element.children where child.name == "String" {
        guard let value = child.child("Value") else { continue }
        // In a file made from a database without opening it.
        if value.attributes.contains(where: { $0.name == "Protected" && $0.value == "True" }) { continue }
        fields[child.string("Key")] = value
      }
    }

    /// The value of a field, which may have references in it; `nil` if unknown.
    func value(_ name: ByteString) -> XMLElement? { fields[name] }
  }

  private var entries: [Entry] = []

  /// The maximum depth of references, as in KeePass.
  private static let maximumDepth = 12

  /// Reads the entries of a file that has references.
  static func read(_ text: UnsafeRawBufferPointer) throws(FormatFault) -> KeePassReferences {
    let references = KeePassReferences()
    if KeePassPlaceholders.areReferences(in: text) { try XMLFile.read(text, references) }
    return references
  }

  func ended(_ element: XMLElement, in ancestors: [XMLElement]) -> Bool {
    switch (element.name, ancestors.last?.name) {
    case ("Entry", "Group"):
      entries.append(Entry(element))
      return false
    case (_, "Entry"): return element.name == "UUID" || element.name == "String"
    case (_, "String"): return true
    default: return false
    }
  }

  /// Takes a field of an entry with words replaced as KeePass does; empty if there is none.
  ///
  /// - Parameter hasWords: whether KeePass replaces words in this field.
  /// - Returns: `nil` if one of them can't be replaced. The field then stays.
  func take(
    at index: Int?, of entry: inout SourceEntry, _ element: XMLElement, isSecret: Bool = false,
    where hasWords: (UnsafeRawBufferPointer) -> Bool = KeePassPlaceholders.areIn
  ) -> Secret? {
    guard case .some(let text) = entry.peek(at: index)?.secret else { return Secret() }
    guard text.withUnsafeBytes(hasWords) else {
      _ = entry.take(at: index)
      return text
    }
    let own = Entry(element)
    guard case .some(let replaced) = text.withUnsafeBytes({ resolve($0, of: own, isSecret: isSecret) }) else {
      return nil
    }
    _ = entry.take(at: index)
    return replaced
  }

  func take(
    _ name: ByteString, of entry: inout SourceEntry, _ element: XMLElement, isSecret: Bool = false
  ) -> Secret? {
    take(at: entry.index(of: [name]), of: &entry, element, isSecret: isSecret)
  }

  /// The text of an entry's field with words replaced as KeePass does.
  ///
  /// - Parameter isSecret: whether the field is confidential. Only then may it get another's password.
  /// - Returns: `nil` if a word can't be replaced, or programs replace it differently.
  func resolve(_ text: UnsafeRawBufferPointer, of entry: Entry, isSecret: Bool, depth: Int = 0) -> Secret? {
    guard depth <= Self.maximumDepth else { return nil }
    var resolved = Secret(capacity: text.count)
    var index = 0
    while index < text.count {
      if text[index] == UInt8(ascii: "{"), let end = text[index...].firstIndex(of: UInt8(ascii: "}")) {
        let whole = text.slice(index...end)
        if KeePassPlaceholders.areIn(whole) {
          let word = Array(text[(index + 1)..<end])
          guard case .some(let value) = self.value(of: word, in: entry, isSecret: isSecret, depth: depth)
          else {
            return nil
          }
          resolved.append(value)
          index = end + 1
          continue
        }
      }
      resolved.append(text[index])
      index += 1
    }
    return resolved
  }

  /// The replacement for a word in braces.
  private func value(of word: [UInt8], in entry: Entry, isSecret: Bool, depth: Int) -> Secret? {
    let name = ByteString(word).lowercased
    let own: ByteString? =
      name == "title" ? "Title" : name == "username" ? "UserName" : name == "url" ? "URL" : nil
    if let own { return field(own, of: entry, isSecret: isSecret, depth: depth) }
    // REF:P@I:TEXT
    guard word.count > 8, name.bytes.starts(with: "ref:".utf8), word[5] == UInt8(ascii: "@"),
      word[7] == UInt8(ascii: ":"), let found = find(ByteString(Array(word[8...])), by: word[6])
    else { return nil }
    switch word[4] & 0xdf {
    case UInt8(ascii: "T"): return field("Title", of: found, isSecret: isSecret, depth: depth)
    case UInt8(ascii: "U"): return field("UserName", of: found, isSecret: isSecret, depth: depth)
    case UInt8(ascii: "A"): return field("URL", of: found, isSecret: isSecret, depth: depth)
    case UInt8(ascii: "P") where isSecret:
      return field("Password", of: found, isSecret: isSecret, depth: depth)
    case UInt8(ascii: "I"): return Secret(copying: found.identifier)
    default: return nil
    }
  }

  private func field(_ name: ByteString, of entry: Entry, isSecret: Bool, depth: Int) -> Secret? {
    guard let value = entry.value(name) else { return nil }
    return value.text.withUnsafeBytes { resolve($0, of: entry, isSecret: isSecret, depth: depth + 1) }
  }

  /// The entry named by a reference.
  ///
  /// KeePass takes the first one whose field contains each of the text's words, in any case; KeePassXC the first whose
  /// field equals the text. So a reference counts if KeePass has only one candidate, and KeePassXC takes it, too.
  private func find(_ text: ByteString, by kind: UInt8) -> Entry? {
    let field: ByteString
    switch kind & 0xdf {
    case UInt8(ascii: "I"):
      return entries.first { !$0.identifier.isEmpty && $0.identifier.isEqualIgnoringCase(text) }
    case UInt8(ascii: "T"): field = "Title"
    case UInt8(ascii: "U"): field = "UserName"
    case UInt8(ascii: "A"): field = "URL"
    default: return nil
    }
    // Quotes keep words together in KeePass, and KeePassXC finds nothing then.
    let quote = UInt8(ascii: "\"")
    let isQuoted = text.bytes.count > 2 && text.bytes.first == quote && text.bytes.last == quote
    let wanted = isQuoted ? ByteString(Array(text.bytes.dropFirst().dropLast())) : text
    let letters = Array("\(wanted)".lowercased().utf8)
    let words = isQuoted ? [letters[...]] : letters.split(separator: 0x20)
    // Search operators.
    if words.isEmpty || words.contains(where: { $0.first == UInt8(ascii: "-") || $0.contains(quote) }) {
      return nil
    }
    var found: Entry?
    for entry in entries {
      guard let value = entry.value(field)?.string else { continue }
      let letters = Array("\(value)".lowercased().utf8)
      guard words.allSatisfy({ word in letters.indices.contains { letters[$0...].starts(with: word) } })
      else {
        continue
      }
      if found != nil || value != wanted { return nil }
      found = entry
    }
    return found
  }
}
