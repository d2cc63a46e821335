import Keychain

extension ItemRequest {
  /// The criteria that a keychain can search by itself: all but dates, a missing port, and names.
  var criteria: ItemCriteria {
    var criteria = ItemCriteria()
    criteria.itemClass = itemClass
    criteria.ignoresCase = ignoresCase
    criteria.omitsLocked = authenticationUI == .skip
    for (attribute, bytes) in attributes { criteria.require(attribute, bytes, of: itemClass) }
    return criteria
  }

  /// Whether an item that matches the criteria also meets the rest of the request.
  ///
  /// - Parameter keychain: the kind of keychain that contains the item.
  func matches(_ item: Item, in keychain: String) -> Bool {
    for (attribute, bytes) in attributes {
      switch attribute.tag {
      case "cdat", "mdat":
        if item.bytes(of: attribute) != bytes { return false }
      case "port" where bytes.isEmpty:
        if !item.hasOwnPort { return false }
      default: break
      }
    }
    if let hostOrParent, !item.isOnHost(hostOrParent) { return false }
    return names.map { $0.contains { $0.names(item, in: keychain) } } ?? true
  }
}

extension ItemCriteria {
  fileprivate mutating func require(
    _ attribute: ItemAttribute, _ bytes: ByteString, of itemClass: ItemClass?
  ) {
    switch (attribute.tag, attribute.own(of: itemClass)) {
    case ("cdat", _), ("mdat", _): return
    case (_, .port?): self[.port] = bytes.isEmpty ? nil : bytes
    case (_, .isSynchronizable?): self[.isSynchronizable] = bytes == "1" ? "1" : ""
    case (_, let own?) where own == .creator || own == .type: self[own] = ItemCode.kept(bytes)
    case (_, let own?): self[own] = bytes
    case (_, nil):
      let isDefault = itemClass.map { bytes == attribute.defaultBytes(of: $0) } ?? false
      furtherAttributes[attribute.itemTag] = isDefault ? "" : bytes
    }
  }
}

extension Item {
  /// Whether it has no port, or its protocol's default, which is the same.
  fileprivate var hasOwnPort: Bool {
    guard case .internetPassword(let key) = key else { return false }
    return key.hasOwnPort
  }

  /// Whether its server is the host, in lowercase, or a subdomain of it.
  fileprivate func isOnHost(_ host: ByteString) -> Bool {
    guard case .internetPassword(let key) = key, let server = key.server?.lowercased else { return false }
    if server == host { return true }
    let end = [UInt8(ascii: ".")] + host.bytes
    return server.bytes.count > end.count && server.bytes.suffix(end.count).elementsEqual(end)
  }
}

extension ItemName {
  /// Whether this names the item, which is in a keychain of the given kind.
  fileprivate func names(_ item: Item, in keychain: String) -> Bool {
    switch self {
    case .reference(let reference):
      return reference.keychain == keychain && reference.itemClass == item.key.itemClass
        && reference.reference == item.reference
    case .certificate(let issuer, let serialNumber):
      guard case .cryptographic(let key) = item.key, key.kind == .certificate else { return false }
      return key.primaryAttributes["issr"] == issuer && key.primaryAttributes["slnr"] == serialNumber
    }
  }
}
