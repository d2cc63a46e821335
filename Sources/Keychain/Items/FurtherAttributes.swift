/// Attributes of Keychain Services that have no property in ``Item``, by their four-character tags.
///
/// A tag is the value of `kSecAttr…` in Apple's header: `gena` for `kSecAttrGeneric`. It consists of lower-case
/// letters and digits. A value is any bytes: the UTF-8 encoding of a text, the decimal digits of a number, `1` for
/// true, and `0` for an explicit false. The attributes are in the order of their tags.
public struct FurtherAttributes: Hashable, Sendable {
  private struct Entry: Hashable {
    let tag: ByteString
    var value: ByteString
  }

  private var entries: [Entry] = []

  /// Makes an empty set.
  public init() {}

  /// The value of the attribute with this tag; `nil` if there is none. Setting `nil` removes it.
  ///
  /// - Precondition: a tag that is set satisfies ``isTag(_:)``.
  public subscript(_ tag: ByteString) -> ByteString? {
    get { entries.first { $0.tag == tag }?.value }
    set {
      let index = entries.firstIndex { $0.tag >= tag } ?? entries.count
      let isThere = index < entries.count && entries[index].tag == tag
      guard let newValue else {
        if isThere { entries.remove(at: index) }
        return
      }
      if isThere {
        entries[index].value = newValue
      } else {
        precondition(Self.isTag(tag), "an attribute's tag is four small letters or digits")
        entries.insert(Entry(tag: tag, value: newValue), at: index)
      }
    }
  }

  /// Whether there are none.
  public var isEmpty: Bool { entries.isEmpty }

  /// The tags, sorted.
  public var tags: [ByteString] { entries.map(\.tag) }

  /// Whether a text has the form of a tag: four lower-case letters or digits.
  public static func isTag(_ text: ByteString) -> Bool {
    text.bytes.count == 4
      && text.bytes.allSatisfy {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
      }
  }
}

extension FurtherAttributes: ExpressibleByDictionaryLiteral {
  /// Takes tags and values.
  ///
  /// - Precondition: every tag satisfies ``isTag(_:)``.
  public init(dictionaryLiteral elements: (ByteString, ByteString)...) {
    for (tag, value) in elements { self[tag] = value }
  }
}

extension FurtherAttributes {
  /// Calls `body` with each tag and value, in the order of the tags.
  package func forEach(_ body: (_ tag: ByteString, _ value: ByteString) -> Void) {
    for entry in entries { body(entry.tag, entry.value) }
  }

  /// The total size of all values in bytes.
  var byteCount: Int { entries.reduce(0) { $0 + $1.value.bytes.count } }

  /// Throws if a value is longer than ``ItemBounds/attribute``.
  func validate() throws(KeychainError) {
    for entry in entries where entry.value.bytes.count > ItemBounds.attribute {
      throw .unusableAttribute(name: entry.tag.description, .tooLong(limit: ItemBounds.attribute))
    }
  }
}

extension Item {
  /// Whether programs that list items for people should omit it (`kSecAttrIsInvisible`).
  public var isInvisible: Bool {
    get { furtherAttributes["invi"] == "1" }
    set { furtherAttributes["invi"] = newValue ? "1" : nil }
  }

  /// Whether it records that no password is to be kept for this (`kSecAttrIsNegative`). Such an item never answers.
  public var isNegative: Bool {
    get { furtherAttributes["nega"] == "1" }
    set { furtherAttributes["nega"] = newValue ? "1" : nil }
  }

  /// A program's own bytes stored with a generic password (`kSecAttrGeneric`).
  public var generic: ByteString? {
    get { furtherAttributes["gena"] }
    set { furtherAttributes["gena"] = newValue }
  }

  /// The addresses that a source has for it, a line each, which no place can be: that of a page, of an app, of a database
  /// (`kSecAddressItemAttr`).
  public var address: ByteString? {
    get { furtherAttributes[Self.addressTag] }
    set { furtherAttributes[Self.addressTag] = newValue }
  }

  static let addressTag: ByteString = "addr"

  /// The lines of ``address``.
  package var addresses: [ByteString] {
    address?.bytes.split(separator: 0x0a).map { ByteString(Array($0)) } ?? []
  }

  /// Adds an address, unless it is there.
  package mutating func addAddress(_ address: ByteString) {
    guard !addresses.contains(address) else { return }
    self.address = self.address.map { ByteString($0.bytes + [0x0a] + address.bytes) } ?? address
  }
}
