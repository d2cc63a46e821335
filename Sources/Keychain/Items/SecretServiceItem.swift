/// The primary key of an item of the Secret Service that isn't a login, or of one of its collections.
///
/// Programs store anything under any attributes there. Their logins are ``InternetPassword``s or ``GenericPassword``s;
/// everything else is one of these, and two of them may have the same attributes.
public struct SecretServiceItem: Hashable, Sendable {
  /// The kind of object.
  public enum Kind: String, Sendable, CaseIterable {
    /// An item. Its attributes are in ``Item/secretService``.
    case item = "secret"
    /// A collection of items. Its label is the item's label, and it has no secret.
    case collection
  }

  /// The kind.
  public var kind: Kind

  /// Distinguishes it from others of its kind. A collection's is the last part of its object path.
  public var name: ByteString

  /// Makes a key.
  public init(_ kind: Kind, name: ByteString) {
    self.kind = kind
    self.name = name
  }
}

/// The attributes by which programs find an item of the Secret Service: texts by name (Secret Service API, "Lookup
/// Attributes"), in the order of the names' bytes.
public struct LookupAttributes: Hashable, Sendable {
  /// An attribute.
  public struct Attribute: Hashable, Sendable {
    /// The name.
    public let name: ByteString
    /// The value.
    public var value: ByteString
  }

  /// All of them.
  public private(set) var all: [Attribute] = []

  /// Makes an empty set.
  public init() {}

  /// The value of an attribute; `nil` if there is none. Setting `nil` removes it.
  public subscript(_ name: ByteString) -> ByteString? {
    get {
      let index = index(of: name)
      return index < all.count && all[index].name == name ? all[index].value : nil
    }
    set {
      let index = index(of: name)
      let isThere = index < all.count && all[index].name == name
      switch (newValue, isThere) {
      case (nil, true): all.remove(at: index)
      case (nil, false): break
      case (let value?, true): all[index].value = value
      case (let value?, false): all.insert(Attribute(name: name, value: value), at: index)
      }
    }
  }

  /// The attribute's index, or where it would be.
  private func index(of name: ByteString) -> Int {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].name < name { low = middle + 1 } else { high = middle }
    }
    return low
  }

  package func includes(_ other: LookupAttributes) -> Bool {
    other.all.allSatisfy { self[$0.name] == $0.value }
  }

  /// The attributes without the schema that services add to items stored without one.
  package var withoutGenericSchema: LookupAttributes {
    var attributes = self
    if attributes["xdg:schema"] == "org.freedesktop.Secret.Generic" { attributes["xdg:schema"] = nil }
    return attributes
  }

  package var byteCount: Int { all.reduce(0) { $0 + $1.name.bytes.count + $1.value.bytes.count } }
}

/// The Secret Service's facts about an item beyond the attributes of Keychain Services.
public struct SecretServiceAttributes: Hashable, Sendable {
  private struct Values: Hashable, Sendable {
    var collection: ByteString?
    var lookup: LookupAttributes?
    var contentType: ByteString?
  }

  /// Apart, because few items have any.
  private indirect enum Box: Hashable, Sendable {
    case empty
    case values(Values)
  }

  private var box = Box.empty

  private var values: Values {
    get { if case .values(let values) = box { values } else { Values() } }
    set { box = newValue == Values() ? .empty : .values(newValue) }
  }

  /// The collection, as the last part of its object path; `nil` for the one that people and tools use.
  public var collection: ByteString? {
    get { values.collection }
    set { values.collection = newValue }
  }

  /// All attributes given by a program; `nil` if they follow from the item's other attributes.
  public var lookup: LookupAttributes? {
    get { values.lookup }
    set { values.lookup = newValue }
  }

  /// The secret's content type, as given by a program; `nil` for `text/plain`.
  public var contentType: ByteString? {
    get { values.contentType }
    set { values.contentType = newValue }
  }

  /// Makes a set without any.
  public init(
    collection: ByteString? = nil, lookup: LookupAttributes? = nil, contentType: ByteString? = nil
  ) {
    values = Values(collection: collection, lookup: lookup, contentType: contentType)
  }

  /// Whether there are none.
  public var isEmpty: Bool { box == .empty }
}

extension SecretServiceAttributes: CustomStringConvertible {
  /// All of them as text.
  public var description: String { "\(values)" }
}

extension LookupAttributes {
  /// Throws if a name or value is no text, or longer than ``ItemBounds/attribute``.
  func validate() throws(KeychainError) {
    for attribute in all {
      if max(attribute.name.bytes.count, attribute.value.bytes.count) > ItemBounds.attribute {
        throw .unusableAttribute(name: "attribute", .tooLong(limit: ItemBounds.attribute))
      }
      if attribute.name.text == nil || attribute.value.text == nil {
        throw .unusableAttribute(name: "attribute", .notText)
      }
    }
  }
}

extension Item.Key {
  package var secretServiceItem: SecretServiceItem? {
    if case .secretService(let item) = self { item } else { nil }
  }
}

extension SecretServiceItem {
  /// The object as people name it, without its label.
  package var description: String { "\(kind.rawValue) \(name)" }
}
