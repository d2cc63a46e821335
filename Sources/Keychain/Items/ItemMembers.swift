package import Bytes

/// Collects the members written by ``JSONWriter/attributes(of:)``, in any order, and makes an item of them.
///
/// The values are in one piece: the reader of a vault makes one for every answer, and the metadata of a dictionary alone
/// would cost more than decrypting.
package struct ItemMembers {
  private var `class`: ByteString?
  private var values = Item.Attribute.Values(repeating: nil)
  private var primaryAttributes = FurtherAttributes()
  private var furtherAttributes = FurtherAttributes()
  private var fields: ByteString?
  private var tags: [ByteString]?
  private var lookup: LookupAttributes?

  package init() {}

  /// Takes a member. Returns `false` if it isn't one of an item's attributes.
  package mutating func take(
    _ name: UnsafeRawBufferPointer, _ value: JSONValue
  ) throws(JSONReader.Malformed) -> Bool {
    if name == "attributes" {
      furtherAttributes = try FurtherAttributes(value)
    } else if name == "fields" {
      fields = try TextMembers.normal(value.raw).withUnsafeBytes { ByteString($0) }
    } else if name == "tags" {
      var lines: [ByteString] = []
      try JSONReader.elements(of: value.raw) { (tag) throws(JSONReader.Malformed) in
        lines.append(try tag.string())
      }
      tags = lines
    } else if name == "primaryAttributes" {
      primaryAttributes = try FurtherAttributes(value)
    } else if name == "lookupAttributes" {
      lookup = try LookupAttributes(value)
    } else {
      let (plain, isEncoded) = name.asWritten
      if plain == "class" {
        `class` = isEncoded ? try value.base64() : try value.string()
        return true
      }
      guard let attribute = Item.Attribute(jsonName: plain), !isEncoded || attribute.form == .text
      else { return false }
      values[Int(attribute.rawValue)] =
        switch attribute.form {
        case .text: isEncoded ? try value.base64() : try value.string()
        case .port: ByteString(String(try value.integer() as UInt16))
        case .mark: try value.bool() ? "1" : nil
        }
    }
    return true
  }

  /// The item, without dates and reference.
  ///
  /// - Throws: ``JSONReader/Malformed`` if a part of its class's primary key is missing.
  package func item() throws(JSONReader.Malformed) -> Item {
    guard let itemClass = `class`.flatMap(ItemClass.init(named:)),
      let key = Item.Key(itemClass, primaryAttributes, { values[Int($0.rawValue)] })
    else { throw JSONReader.Malformed() }
    var item = Item(key)
    for attribute in Item.Attribute.notes {
      if let value = values[Int(attribute.rawValue)] { item[attribute] = value }
    }
    item.furtherAttributes = furtherAttributes
    if let fields = fields.nonEmpty { item.furtherAttributes[Item.fieldsTag] = fields }
    if let tags { item.tags = tags }
    item.secretService.lookup = lookup
    return item
  }
}

extension UnsafeRawBufferPointer {
  /// The name of a member without the mark of base64, and whether it has that.
  package var asWritten: (name: UnsafeRawBufferPointer, isEncoded: Bool) {
    let isEncoded = count > 4 && UnsafeRawBufferPointer(rebasing: self[(count - 4)...]) == "_b64"
    return (isEncoded ? UnsafeRawBufferPointer(rebasing: self[..<(count - 4)]) : self, isEncoded)
  }
}

extension LookupAttributes {
  /// Reads an object whose members are names and values.
  fileprivate init(_ object: JSONValue) throws(JSONReader.Malformed) {
    self.init()
    guard object.kind == .object else { throw JSONReader.Malformed() }
    try JSONReader.members(of: object.raw) { (name, value) throws(JSONReader.Malformed) in
      self[try JSONValue.name(name)] = try value.string()
    }
  }
}

extension FurtherAttributes {
  /// Reads an object whose members are tags and values.
  fileprivate init(_ object: JSONValue) throws(JSONReader.Malformed) {
    self.init()
    guard object.kind == .object else { throw JSONReader.Malformed() }
    try JSONReader.members(of: object.raw) { (name, value) throws(JSONReader.Malformed) in
      let isEncoded = name.count > 4
      if isEncoded, !(UnsafeRawBufferPointer(rebasing: name[4...]) == "_b64") { throw JSONReader.Malformed() }
      let tag = ByteString(UnsafeRawBufferPointer(rebasing: name.prefix(4)))
      guard Self.isTag(tag) else { throw JSONReader.Malformed() }
      self[tag] = isEncoded ? try value.base64() : try value.string()
    }
  }
}
