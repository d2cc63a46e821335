import Bytes
import CredentialProtocols
import Keychain

/// An item's values without a CSV column, in the column for people's own fields: each on a line such as
/// `llavero-service: backup`. Line breaks and backslashes in a value are escaped.
struct OwnFields {
  private var fields: [(name: ByteString, value: ByteString)] = []

  private static let mark = Array("llavero-".utf8)
  private static let separator = Array(": ".utf8)
  /// Names another field that may be shown.
  static let shown: ByteString = "shown"

  init() {}

  /// Reads the column; `nil` if it has none of these, or lines of another form.
  ///
  /// - Parameter other: receives each other field, `NAME: VALUE`, and whether it may be shown.
  init?(
    reading text: UnsafeRawBufferPointer,
    other: (_ name: ByteString, _ value: UnsafeRawBufferPointer, _ isShown: Bool) -> Void
  ) {
    var shown: [ByteString] = []
    for line in text.split(separator: 0x0a) {
      guard let end = line.indices.first(where: { line[$0...].starts(with: Self.separator) }) else {
        return nil
      }
      let name = ByteString(line[..<end].whole)
      let value = line[(end + Self.separator.count)...].whole
      guard Self.isOwn(name) else {
        if fields.isEmpty { return nil }
        // Those come first, so that a hidden one may have the same name.
        let index = shown.firstIndex(of: name)
        if let index { shown.remove(at: index) }
        other(name, value, index != nil)
        continue
      }
      guard let value = Self.unescaped(Array(value)[...]) else { return nil }
      let own = ByteString(Array(name.bytes.dropFirst(Self.mark.count)))
      if own == Self.shown { shown.append(value) }
      fields.append((own, value))
    }
    if fields.isEmpty { return nil }
  }

  /// Whether our own export writes fields of this name; any other is a person's.
  private static func isOwn(_ name: ByteString) -> Bool {
    guard name.bytes.starts(with: mark) else { return false }
    let name = ByteString(Array(name.bytes.dropFirst(mark.count)))
    let known: [ByteString] = [
      "account", "authenticationType", "comment", "creator", "default", "description", "password", "place",
      "service", shown, "type",
    ]
    return known.contains(name) || FurtherAttributes.isTag(name)
  }

  subscript(name: ByteString) -> ByteString? { fields.first { $0.name == name }?.value }

  var isEmpty: Bool { fields.isEmpty }

  /// The key of an item whose place is written out; `nil` if it isn't.
  func place(account: ByteString) -> InternetPassword? {
    guard let url = self["place"], let (place, _) = try? Place.parse(url) else { return nil }
    return place.key(account: account.nonEmpty, for: nil)
  }

  /// Gives an item the values that aren't in its key.
  func apply(to item: inout Item) {
    for (name, value) in fields {
      let attribute = name.bytes.withUnsafeBytes { Item.Attribute(jsonName: $0) }
      switch attribute {
      case .account?, .authenticationType?, .itemDescription?, .creator?, .type?:
        if let attribute, attribute.isOf(item.key.itemClass) {
          item[attribute] = value
        } else {
          item.addField(name, value)
        }
      // Somebody has added an address since.
      case .service?: if case .internetPassword = item.key { item.addField(name, value) }
      case nil where name == "default": item.isDefault = true
      default: if FurtherAttributes.isTag(name) { item.furtherAttributes[name] = value }
      }
    }
  }

  mutating func add(_ name: ByteString, _ value: ByteString) { fields.append((name, value)) }

  var text: ByteString {
    var text: [UInt8] = []
    for (name, value) in fields {
      if !text.isEmpty { text.append(0x0a) }
      text += Self.mark + name.bytes + Self.separator
      for byte in value.bytes {
        switch byte {
        case 0x0a: text += Array("\\n".utf8)
        case UInt8(ascii: "\\"): text += Array("\\\\".utf8)
        default: text.append(byte)
        }
      }
    }
    return ByteString(text)
  }

  private static func unescaped(_ text: ArraySlice<UInt8>) -> ByteString? {
    var value: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        value.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "n"): value.append(0x0a)
      case UInt8(ascii: "\\"): value.append(byte)
      default: return nil
      }
    }
    return ByteString(value)
  }
}
