import Keychain

// The mapping between items and the attributes of Keychain Services.

extension Item {
  /// The bytes of an attribute (see ``AttributeForm``); `nil` if the item doesn't have it and there is no default.
  func bytes(of attribute: ItemAttribute) -> ByteString? {
    switch attribute.tag {
    case "cdat": creationDate.map { ByteString(String($0.milliseconds)) }
    case "mdat": modificationDate.map { ByteString(String($0.milliseconds)) }
    case "labl": label
    case "desc": itemDescription
    case "icmt": comment
    case "pdmn", "accc": furtherAttributes["pdmn"] ?? key.itemClass.defaultAccessibility
    case "agrp": key.accessGroup
    case "sync": key.isSynchronizable ? "1" : "0"
    default: key.bytes(of: attribute) ?? furtherBytes(of: attribute)
    }
  }

  private func furtherBytes(of attribute: ItemAttribute) -> ByteString? {
    switch (attribute.tag, key.isPassword) {
    case ("crtr", true): creator.map(ItemCode.digits)
    case ("type", true): type.map(ItemCode.digits)
    default: furtherAttributes[attribute.itemTag]
    }
  }

  /// Sets an attribute. The dates belong to the keychain, and are not changed.
  mutating func set(_ attribute: ItemAttribute, to bytes: ByteString) {
    switch attribute.tag {
    case "cdat", "mdat": return
    case "labl": label = bytes
    case "desc": itemDescription = bytes
    case "icmt": comment = bytes
    case "crtr" where key.isPassword: creator = ItemCode.kept(bytes)
    case "type" where key.isPassword: type = ItemCode.kept(bytes)
    default:
      if key.set(attribute, to: bytes) { return }
      let isDefault = bytes == attribute.defaultBytes(of: key.itemClass)
      furtherAttributes[attribute.itemTag] = isDefault ? nil : bytes
    }
  }
}

extension Item.Key {
  init(emptyOf itemClass: ItemClass) {
    if let kind = itemClass.cryptographicKind {
      self = .cryptographic(CryptographicItem(kind, [:]))
    } else if itemClass == .internetPassword {
      self = .internetPassword(InternetPassword(protocol: "", server: nil))
    } else {
      self = .genericPassword(GenericPassword(service: ""))
    }
  }

  var isPassword: Bool { itemClass == .internetPassword || itemClass == .genericPassword }

  /// The bytes of an attribute in the primary key; `nil` if it is not part of the key.
  fileprivate func bytes(of attribute: ItemAttribute) -> ByteString? {
    switch self {
    case .internetPassword(let key):
      switch attribute.tag {
      case "acct": key.account ?? ""
      case "srvr": key.server ?? ""
      case "sdmn": key.securityDomain ?? ""
      case "ptcl": key.protocol
      case "atyp": key.authenticationType ?? ""
      case "port": key.port.map { ByteString(String($0)) } ?? ""
      case "path": key.path ?? ""
      default: nil
      }
    case .genericPassword(let key):
      switch attribute.tag {
      case "acct": key.account ?? ""
      case "svce": key.service
      default: nil
      }
    case .cryptographic(let key):
      itemClass.primaryTags.contains(attribute.tag)
        ? key.primaryAttributes[attribute.itemTag] ?? attribute.form.absent : nil
    case .secretService: nil
    }
  }

  /// Sets an attribute of the primary key; `false` if it is not part of the key. An empty value removes it.
  fileprivate mutating func set(_ attribute: ItemAttribute, to bytes: ByteString) -> Bool {
    let value = bytes.isEmpty ? nil : bytes
    switch self {
    case .internetPassword(var key):
      switch attribute.tag {
      case "acct": key.account = value
      case "srvr": key.server = value
      case "sdmn": key.securityDomain = value
      case "ptcl": key.protocol = bytes
      case "atyp": key.authenticationType = value
      case "port": key.port = bytes.text.flatMap { UInt16($0) }
      case "path": key.path = value
      case "agrp": key.accessGroup = value
      case "sync": key.isSynchronizable = bytes == "1"
      default: return false
      }
      self = .internetPassword(key)
    case .genericPassword(var key):
      switch attribute.tag {
      case "acct": key.account = value
      case "svce": key.service = bytes
      case "agrp": key.accessGroup = value
      case "sync": key.isSynchronizable = bytes == "1"
      default: return false
      }
      self = .genericPassword(key)
    case .secretService: return false
    case .cryptographic(var key):
      switch attribute.tag {
      case "agrp": key.accessGroup = value
      case "sync": key.isSynchronizable = bytes == "1"
      case _ where itemClass.primaryTags.contains(attribute.tag):
        key.primaryAttributes[attribute.itemTag] = bytes == attribute.form.absent ? nil : bytes
      default: return false
      }
      self = .cryptographic(key)
    }
    return true
  }
}

extension ItemAttribute {
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
