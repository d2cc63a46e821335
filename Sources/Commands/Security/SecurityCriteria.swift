import Keychain

/// The description of an item by the options of a command.
struct SecurityCriteria {
  let isInternetPassword: Bool
  private var texts: [Item.Attribute: ByteString] = [:]
  /// Names that share a code are equal.
  private var codes: [Item.Attribute: FourCharacterCode] = [:]
  /// A generic password's own attribute.
  private var generic: ByteString?

  /// - Throws: ``SecurityFailure`` for an invalid value.
  init(_ options: SecurityOptions, isInternetPassword: Bool) throws(SecurityFailure) {
    self.isInternetPassword = isInternetPassword
    texts[.account] = options.value("a")
    if isInternetPassword {
      texts[.server] = options.value("s")
      texts[.securityDomain] = options.value("d")
      texts[.path] = options.value("p").map(\.withoutSlashesAround)
      texts[.port] = try options.port().map { ByteString("\($0)") }
      codes[.protocol] = try options.code("r")
      codes[.authenticationType] = try options.code("t")
    } else {
      texts[.service] = options.value("s")
      generic = options.value("G")
    }
    texts[.label] = options.value("l")
    texts[.comment] = options.value("j")
    texts[.itemDescription] = options.value("D")
    codes[.creator] = try options.code("c")
    codes[.type] = try options.code("C")
  }

  subscript(_ attribute: Item.Attribute) -> ByteString? { texts[attribute] }

  private var itemClass: ItemClass { isInternetPassword ? .internetPassword : .genericPassword }

  var isEmpty: Bool { texts.isEmpty && codes.isEmpty && generic == nil }

  /// Whether the primary key is complete, so that nothing else is compared.
  private var hasPrimaryKey: Bool {
    Item.Attribute.ofKeys.allSatisfy {
      !$0.isOf(itemClass) || $0.option == nil || texts[$0] != nil || codes[$0] != nil
    }
  }

  /// A query for candidates, to be compared with the criteria. Querying a service by name avoids reading all other
  /// items, which is slow in a large keyring.
  var query: ItemQuery {
    guard let service = texts[.service], let query = try? GenericPasswordQuery(service: service) else {
      return .all
    }
    return .genericPassword(query)
  }

  func matches(_ item: Item) -> Bool {
    matchesKey(of: item) && (hasPrimaryKey || matchesNotes(of: item))
  }

  func matchesKey(of item: Item) -> Bool {
    item.key.itemClass == itemClass && Item.Attribute.ofKeys.allSatisfy { agrees(in: $0, with: item) }
  }

  private func matchesNotes(of item: Item) -> Bool {
    Item.Attribute.notes.allSatisfy { agrees(in: $0, with: item) }
      && (generic == nil || generic == item.generic ?? "")
  }

  /// Absent and empty values are equal.
  private func agrees(in attribute: Item.Attribute, with item: Item) -> Bool {
    let held = attribute == .label ? item.securityLabel : item.searched(attribute)
    if let text = texts[attribute] {
      return attribute == .server ? text.isEqualIgnoringCase(held ?? "") : text == held ?? ""
    }
    guard let code = codes[attribute] else { return true }
    return switch attribute {
    case .protocol: code == FourCharacterCode(ofProtocol: held ?? "")
    case .authenticationType: code == FourCharacterCode(ofAuthenticationType: held)
    default: held.map { FourCharacterCode(abbreviating: $0) } == code
    }
  }

  /// The matches. If no security domain is given, items of git and people come before those of other tools; otherwise
  /// they are in the keychain's order.
  func found(among items: [Item], _ isMeant: (Item) -> Bool) -> [Item] {
    let found = items.filter(isMeant)
    if texts[.securityDomain] != nil { return found }
    return found.filter { $0[.securityDomain] == nil } + found.filter { $0[.securityDomain] != nil }
  }

  /// The item for `add`. The protocol defaults to `https`, because an item must have one; an empty account counts as
  /// none.
  func newItem() -> Item {
    let key = Item.Key(itemClass) { attribute in
      switch attribute {
      case .protocol: codes[.protocol].map(\.protocolName) ?? "https"
      case .authenticationType: codes[.authenticationType].flatMap(\.authenticationTypeName)
      case .service: texts[.service] ?? ""
      default: texts[attribute].nonEmpty
      }
    }
    return noted(on: Item(key ?? .genericPassword(GenericPassword(service: ""))))
  }

  /// The item with the given attributes beyond the primary key. An empty text removes an attribute.
  func noted(on item: Item) -> Item {
    var item = item
    for attribute in Item.Attribute.notes {
      if let value = texts[attribute] ?? codes[attribute]?.name {
        item[attribute] = ByteString?(value).nonEmpty
      }
    }
    if let generic { item.generic = generic.isEmpty ? nil : generic }
    return item
  }
}
