import Keychain

// The mapping between items and the attributes of Keychain Services.

extension Item {
  /// The bytes of an attribute (see ``AttributeForm``); `nil` if the item doesn't have it and there is no default.
  func bytes(of attribute: ItemAttribute) -> ByteString? {
    switch attribute.tag {
    case "cdat": return creationDate.map { ByteString(String($0.milliseconds)) }
    case "mdat": return modificationDate.map { ByteString(String($0.milliseconds)) }
    case "pdmn", "accc": return furtherAttributes["pdmn"] ?? key.itemClass.defaultAccessibility
    default: break
    }
    if let own = attribute.own(of: key.itemClass) {
      let value = self[own]
      if own == .creator || own == .type { return value.map(ItemCode.digits) }
      let isNote = !own.isOfKey || own == .accessGroup
      return isNote ? value : value ?? attribute.form.absent
    }
    if case .cryptographic(let item) = key, key.itemClass.primaryTags.contains(attribute.tag) {
      return item.primaryAttributes[attribute.itemTag] ?? attribute.form.absent
    }
    return furtherAttributes[attribute.itemTag]
  }

  /// Sets an attribute. An empty value removes one of a primary key. The dates belong to the keychain, and are not
  /// changed.
  mutating func set(_ attribute: ItemAttribute, to bytes: ByteString) {
    if attribute.tag == "cdat" || attribute.tag == "mdat" { return }
    if let own = attribute.own(of: key.itemClass) {
      let isCode = own == .creator || own == .type
      self[own] = own.isOfKey && bytes.isEmpty ? nil : isCode ? ItemCode.kept(bytes) : bytes
    } else if case .cryptographic(var item) = key, key.itemClass.primaryTags.contains(attribute.tag) {
      item.primaryAttributes[attribute.itemTag] = bytes == attribute.form.absent ? nil : bytes
      key = .cryptographic(item)
    } else {
      let isDefault = bytes == attribute.defaultBytes(of: key.itemClass)
      furtherAttributes[attribute.itemTag] = isDefault ? nil : bytes
    }
  }
}

extension Item.Key {
  init(emptyOf itemClass: ItemClass) {
    self =
      Item.Key(itemClass) { $0 == .protocol || $0 == .service ? "" : nil }
      ?? .genericPassword(GenericPassword(service: ""))
  }
}

extension ItemAttribute {
  /// The attribute of the keychain's items with this tag; `nil` if those of the class keep it by its tag. Only those of
  /// passwords are creators and types.
  func own(of itemClass: ItemClass?) -> Item.Attribute? {
    guard let own = Item.Attribute(tag: tag), itemClass.map(own.isOf) ?? true else { return nil }
    let isOfPasswords = own == .creator || own == .type
    return isOfPasswords && !(itemClass?.isPassword ?? false) ? nil : own
  }

  /// The default of an attribute that an item doesn't store; `nil` if there is none.
  func defaultBytes(of itemClass: ItemClass) -> ByteString? {
    switch form {
    case .accessibility: itemClass.defaultAccessibility
    default: itemClass.primaryTags.contains(tag) ? form.absent : nil
    }
  }
}

extension AttributeForm {
  /// The representation of no value in a primary key (SecItemSchema.c): empty, or 0.
  var absent: ByteString {
    switch self {
    case .number, .code, .flag, .date, .synchronizable: "0"
    default: ""
    }
  }
}
