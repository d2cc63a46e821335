/// Attributes of Keychain Services that have no property in ``Item``, by their four-character tags.
///
/// A tag is the value of `kSecAttr…` in Apple's header, such as `gena` for `kSecAttrGeneric`: lower-case letters and
/// digits. A value is any bytes: text as UTF-8, a number in decimal digits, `1` for true, `0` for an explicit false.
/// The attributes are in the order of their tags.
public struct FurtherAttributes: Hashable, Sendable {
  /// In one piece, because a hundred thousand items may have one: each tag, its value's size in four bytes, its value.
  private var entries: [UInt8] = []

  private static let headSize = 8

  /// Makes an empty set.
  public init() {}

  /// The value of the attribute with this tag; `nil` if there is none. Setting `nil` removes it.
  ///
  /// - Precondition: a tag that is set satisfies ``isTag(_:)``.
  public subscript(_ tag: ByteString) -> ByteString? {
    get {
      let entry = entry(of: tag)
      return entry.isEmpty ? nil : value(of: entry)
    }
    set {
      let entry = entry(of: tag)
      guard let value = newValue?.bytes else { return entries.removeSubrange(entry) }
      precondition(Self.isTag(tag), "an attribute's tag is four small letters or digits")
      var bytes = tag.bytes
      bytes.reserveCapacity(Self.headSize + value.count)
      let size = UInt32(value.count)
      for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: size >> shift)) }
      bytes += value
      if entries.isEmpty { entries = bytes } else { entries.replaceSubrange(entry, with: bytes) }
    }
  }

  /// The range of the attribute that begins there; `nil` at the end.
  private func entry(at start: Int) -> Range<Int>? {
    if start == entries.count { return nil }
    let size = entries[start + 4..<start + Self.headSize].reduce(0) { $0 << 8 | Int($1) }
    return start..<start + Self.headSize + size
  }

  /// The range of the attribute with a tag; empty if it isn't there.
  private func entry(of tag: ByteString) -> Range<Int> {
    var start = 0
    while let entry = entry(at: start) {
      let other = entries[entry].prefix(4)
      if other.elementsEqual(tag.bytes) { return entry }
      if tag.bytes.lexicographicallyPrecedes(other) { break }
      start = entry.upperBound
    }
    return start..<start
  }

  private func value(of entry: Range<Int>) -> ByteString {
    ByteString(Array(entries[entry].dropFirst(Self.headSize)))
  }

  /// Whether there are none.
  public var isEmpty: Bool { entries.isEmpty }

  /// The tags, sorted.
  public var tags: [ByteString] {
    var tags: [ByteString] = []
    forEach { tag, _ in tags.append(tag) }
    return tags
  }

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

extension FurtherAttributes: CustomStringConvertible {
  /// The tags and values as text.
  public var description: String {
    var all: [String] = []
    forEach { all.append("\($0): \($1)") }
    return "[\(all.joined(separator: ", "))]"
  }
}

extension FurtherAttributes {
  /// In the order of the tags.
  package func forEach(_ body: (_ tag: ByteString, _ value: ByteString) -> Void) {
    var start = 0
    while let entry = entry(at: start) {
      body(ByteString(Array(entries[entry].prefix(4))), value(of: entry))
      start = entry.upperBound
    }
  }

  var byteCount: Int {
    var count = 0
    forEach { _, value in count += value.bytes.count }
    return count
  }

  /// Throws if a value is longer than ``ItemBounds/attribute``.
  func validate() throws(KeychainError) {
    var tooLong: ByteString?
    forEach { tag, value in if value.bytes.count > ItemBounds.attribute { tooLong = tooLong ?? tag } }
    if let tooLong {
      throw .unusableAttribute(name: tooLong.description, .tooLong(limit: ItemBounds.attribute))
    }
  }
}

extension Item {
  /// Whether lists for people should omit it (`kSecAttrIsInvisible`).
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

  /// A source's addresses, of a page, app or database, that can't be a place; a line each (`kSecAddressItemAttr`).
  public var address: ByteString? {
    get { furtherAttributes[Self.addressTag] }
    set { furtherAttributes[Self.addressTag] = newValue }
  }

  static let addressTag: ByteString = "addr"

  package var addresses: [ByteString] {
    address?.bytes.split(separator: 0x0a).map { ByteString(Array($0)) } ?? []
  }

  package mutating func addAddress(_ address: ByteString) {
    guard !addresses.contains(address) else { return }
    self.address = self.address.map { ByteString($0.bytes + [0x0a] + address.bytes) } ?? address
  }
}
