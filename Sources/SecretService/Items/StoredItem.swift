import Keychain

/// An item in the service, without its secret.
struct StoredItem {
  let path: String
  let attributes: [String: String]
  /// All attributes, if two of their names are equal for Unicode and so share an entry in ``attributes``.
  let exactAttributes: LookupAttributes?
  let label: String
  let isLocked: Bool
  let created: Timestamp?
  let modified: Timestamp?

  /// Reads the answer of `org.freedesktop.DBus.Properties.GetAll`.
  ///
  /// - Throws: ``BusFailure`` if anything but a date is missing, or has the wrong type.
  init(path: String, properties reply: Variant) throws(BusFailure) {
    let properties = try reply.checked(as: "(a{sv})", of: "GetAll")[0]
    self.path = path
    let given = try properties.property("Attributes", of: "GetAll")
      .checked(as: "a{ss}", of: "property Attributes")
    attributes = given.texts
    exactAttributes = given.count == attributes.count ? nil : given.attributes
    label = try properties.property("Label", of: "GetAll").text(of: "property Label")
    isLocked = try properties.property("Locked", of: "GetAll").bool(of: "property Locked")
    created = try Self.date("Created", in: properties)
    modified = try Self.date("Modified", in: properties)
  }

  init(path: String, attributes: [String: String], label: String = "", isLocked: Bool = false) {
    self.path = path
    self.attributes = attributes
    exactAttributes = nil
    self.label = label
    self.isLocked = isLocked
    created = nil
    modified = nil
  }

  /// The attributes as given by a program.
  var lookup: LookupAttributes {
    exactAttributes ?? LookupAttributes(attributes)
  }

  /// Seconds since the Unix epoch. A service that doesn't know them says 0.
  private static func date(_ name: String, in properties: TypedVariant) throws(BusFailure) -> Timestamp? {
    guard let value = properties.optionalProperty(name) else { return nil }
    let seconds = try value.number(of: "property \(name)")
    guard 1...UInt64(Int64.max / 1000) ~= seconds else { return nil }
    return Timestamp(milliseconds: Int64(seconds) * 1000)
  }

  /// The path alone could belong to a later item: gnome-keyring reuses it after the last item was deleted.
  var reference: ItemReference {
    ItemReference(ByteString(path + "@" + String(created?.seconds ?? 0)))
  }

  static func path(of reference: ItemReference) -> String {
    String(reference.bytes.description.prefix { $0 != "@" })
  }

  /// The number at the end of the path, in order of creation.
  var number: Int {
    let digits = path.utf8.reversed().prefix { 0x30...0x39 ~= $0 }.prefix(18)
    return digits.reversed().reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}

extension LookupAttributes {
  init(_ texts: [String: String]) {
    self.init()
    for (name, value) in texts { self[ByteString(name)] = ByteString(value) }
  }
}
