import Keychain

/// An item as the service has it, without its secret.
struct StoredItem {
  let path: String
  let attributes: [String: String]
  let label: String
  let isLocked: Bool
  let created: Timestamp?
  let modified: Timestamp?

  /// Takes what `org.freedesktop.DBus.Properties.GetAll` answers.
  init(path: String, properties reply: Variant) {
    let properties = reply.isOf("(a{sv})") ? reply[0] : reply
    self.path = path
    attributes = properties.property("Attributes")?.textsByName ?? [:]
    label = properties.property("Label")?.text ?? ""
    isLocked = properties.property("Locked")?.bool ?? false
    created = Self.date(properties.property("Created"))
    modified = Self.date(properties.property("Modified"))
  }

  init(path: String, attributes: [String: String], label: String = "", isLocked: Bool = false) {
    self.path = path
    self.attributes = attributes
    self.label = label
    self.isLocked = isLocked
    created = nil
    modified = nil
  }

  /// Seconds since the Unix epoch; a service that doesn't know says 0.
  private static func date(_ value: Variant?) -> Timestamp? {
    guard let seconds = value?.number, 1...UInt64(Int64.max / 1000) ~= seconds else { return nil }
    return Timestamp(milliseconds: Int64(seconds) * 1000)
  }

  /// The path alone could be that of a later item: gnome-keyring gives it anew after the last item was deleted.
  var reference: ItemReference {
    ItemReference(ByteString(path + "@" + String(created?.seconds ?? 0)))
  }

  /// The path in a reference.
  static func path(of reference: ItemReference) -> String {
    String(reference.bytes.description.prefix { $0 != "@" })
  }

  /// The number that ends the path, by which services count their items.
  var number: Int {
    let digits = path.utf8.reversed().prefix { 0x30...0x39 ~= $0 }.prefix(18)
    return digits.reversed().reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}
