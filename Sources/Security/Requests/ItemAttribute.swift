import Keychain

/// An attribute of Keychain Services: its tag, the form of its values, and the classes of items that have it
/// (SecItemSchema.c of Apple's Security-61901; SecItem.h, "Item classes").
struct ItemAttribute: Hashable, Sendable {
  /// The four-character key in dictionaries.
  let tag: String
  let form: AttributeForm
  let classes: Set<ItemClass>

  private init(_ tag: String, _ form: AttributeForm, of classes: Set<ItemClass>) {
    self.tag = tag
    self.form = form
    self.classes = classes
  }

  /// The tag as items store it.
  var itemTag: ByteString { ByteString(tag) }

  /// The attribute with this key; `nil` if no class has one.
  static func named(_ key: String) -> ItemAttribute? { byTag[key] }

  /// The attribute with this key, which must exist.
  static func known(_ key: String) -> ItemAttribute {
    guard let attribute = byTag[key] else { preconditionFailure("no attribute \(key)") }
    return attribute
  }

  /// The attributes of a class, in table order.
  static func all(of itemClass: ItemClass) -> [ItemAttribute] {
    table.filter { $0.classes.contains(itemClass) }
  }

  private static let byTag = [String: ItemAttribute](uniqueKeysWithValues: table.map { ($0.tag, $0) })

  private static let every: Set<ItemClass> = [
    .internetPassword, .genericPassword, .certificate, .key, .identity,
  ]
  private static let passwords: Set<ItemClass> = [.internetPassword, .genericPassword]
  private static let internet: Set<ItemClass> = [.internetPassword]
  private static let generic: Set<ItemClass> = [.genericPassword]
  private static let certificates: Set<ItemClass> = [.certificate, .identity]
  private static let keys: Set<ItemClass> = [.key, .identity]
  private static let typed: Set<ItemClass> = passwords.union(keys)

  private static let table: [ItemAttribute] = [
    ItemAttribute("agrp", .text, of: every),
    ItemAttribute("sync", .synchronizable, of: every),
    ItemAttribute("pdmn", .accessibility, of: every),
    ItemAttribute("accc", .accessControl, of: every),
    ItemAttribute("vwht", .text, of: every),
    ItemAttribute("tkid", .unsupported, of: every),
    ItemAttribute("cdat", .date, of: every),
    ItemAttribute("mdat", .date, of: every),
    ItemAttribute("labl", .text, of: every),
    ItemAttribute("desc", .text, of: passwords),
    ItemAttribute("icmt", .text, of: passwords),
    ItemAttribute("crtr", .code, of: typed),
    ItemAttribute("type", .code, of: typed),
    ItemAttribute("invi", .flag, of: passwords),
    ItemAttribute("nega", .flag, of: passwords),
    ItemAttribute("acct", .text, of: passwords),
    ItemAttribute("svce", .text, of: generic),
    ItemAttribute("gena", .data, of: generic),
    ItemAttribute("sdmn", .text, of: internet),
    ItemAttribute("srvr", .text, of: internet),
    ItemAttribute("ptcl", .networkProtocol, of: internet),
    ItemAttribute("atyp", .authenticationType, of: internet),
    ItemAttribute("port", .port, of: internet),
    ItemAttribute("path", .path, of: internet),
    ItemAttribute("ctyp", .number, of: certificates),
    ItemAttribute("cenc", .number, of: certificates),
    ItemAttribute("subj", .data, of: certificates),
    ItemAttribute("issr", .data, of: certificates),
    ItemAttribute("slnr", .data, of: certificates),
    ItemAttribute("skid", .data, of: certificates),
    ItemAttribute("pkhh", .data, of: certificates),
    ItemAttribute("kcls", .number, of: keys),
    ItemAttribute("klbl", .data, of: keys),
    ItemAttribute("atag", .data, of: keys),
    ItemAttribute("bsiz", .number, of: keys),
    ItemAttribute("esiz", .number, of: keys),
    ItemAttribute("sdat", .date, of: keys),
    ItemAttribute("edat", .date, of: keys),
    ItemAttribute("perm", .flag, of: keys),
    ItemAttribute("priv", .flag, of: keys),
    ItemAttribute("modi", .flag, of: keys),
    ItemAttribute("sens", .flag, of: keys),
    ItemAttribute("asen", .flag, of: keys),
    ItemAttribute("extr", .flag, of: keys),
    ItemAttribute("next", .flag, of: keys),
    ItemAttribute("encr", .flag, of: keys),
    ItemAttribute("decr", .flag, of: keys),
    ItemAttribute("drve", .flag, of: keys),
    ItemAttribute("sign", .flag, of: keys),
    ItemAttribute("vrfy", .flag, of: keys),
    ItemAttribute("snrc", .flag, of: keys),
    ItemAttribute("vyrc", .flag, of: keys),
    ItemAttribute("wrap", .flag, of: keys),
    ItemAttribute("unwp", .flag, of: keys),
  ]
}
