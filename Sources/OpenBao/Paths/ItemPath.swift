import Bytes
package import Keychain

/// Where an item is stored below the keychain's mount: its primary key, a component for each attribute, so that
/// policies can name hosts, accounts and paths.
///
/// | class | path |
/// |---|---|
/// | internet password | PROTOCOL/SERVER/PORT/DOMAIN/ACCOUNT/PATH/AUTHTYPE |
/// | generic password | ~generic/SERVICE/ACCOUNT |
/// | certificate, key, identity | ~certificate/GROUP/SYNC/TAG.VALUE/… |
/// | other items of a Secret Service, its collections | ~secret/NAME, ~collection/NAME |
///
/// A password with an access group, or marked for synchronization, has two further components: the group, and
/// `synchronizable` or `-`. No protocol is written as `~` and small letters, so classes and protocols don't collide.
/// Two items have the same path exactly if their primary keys are equal.
package struct ItemPath: Hashable, Sendable {
  /// The path without surrounding slashes: only letters, digits and `-._~/`.
  package let text: String
  /// The primary key of the item stored here. Reading it from the text takes longer than decrypting a copy.
  package let key: Item.Key

  package static func == (one: ItemPath, other: ItemPath) -> Bool { one.text == other.text }

  package func hash(into hasher: inout Hasher) { hasher.combine(text) }

  private static let synchronizable = "synchronizable"
  private static let generic = "~generic"
  private static let internetParts: [Item.Attribute] = [
    .protocol, .server, .port, .securityDomain, .account, .path, .authenticationType,
  ]
  private static let genericParts: [Item.Attribute] = [.service, .account]

  /// The path of an item.
  ///
  /// - Throws: ``KeychainError/unusableAttribute(name:_:)`` if a component would be longer than
  ///   ``PathComponent/maximumSize``.
  package init(_ key: Item.Key) throws(KeychainError) {
    let key = key.primaryKey
    self.key = key
    func component(_ attribute: Item.Attribute) -> (name: String, text: String) {
      (attribute.displayName, PathComponent.text(key[attribute]))
    }
    let shared = [
      component(.accessGroup),
      (
        Item.Attribute.accessGroup.displayName,
        key.isSynchronizable ? Self.synchronizable : PathComponent.absent
      ),
    ]
    var components: [(name: String, text: String)]
    switch key {
    case .internetPassword: components = Self.internetParts.map(component)
    case .genericPassword: components = [("class", Self.generic)] + Self.genericParts.map(component)
    case .cryptographic(let key):
      components = [("class", "~" + key.kind.rawValue)] + shared
      key.primaryAttributes.forEach { tag, value in
        components.append((tag.description, "\(tag)." + PathComponent.text(value)))
      }
    case .secretService(let key): components = [("class", "~" + key.kind.rawValue), component(.name)]
    }
    if key.itemClass.isPassword, key.accessGroup != nil || key.isSynchronizable { components += shared }
    for component in components where component.text.utf8.count > PathComponent.maximumSize {
      throw .unusableAttribute(name: component.name, .tooLong(limit: PathComponent.maximumSize))
    }
    text = PathComponent.path(of: components.map(\.text))
  }

  /// Parses a path from a server's list; `nil` for one that ``init(_:)`` never makes.
  package init?(parsing text: String) {
    guard let key = Self.key(of: text), let path = try? ItemPath(key), path.text == text else { return nil }
    self = path
  }

  private static func key(of text: String) -> Item.Key? {
    let components = text.split(separator: "/", omittingEmptySubsequences: false)
    if let name = components.first, name.hasPrefix("~") {
      let word = String(name.dropFirst())
      if name == Self.generic { return password(.genericPassword, genericParts, components.dropFirst()) }
      if let kind = CryptographicItem.Kind(rawValue: word) {
        return cryptographic(kind, components.dropFirst())
      }
      if let kind = SecretServiceItem.Kind(rawValue: word) {
        guard components.count == 2, let name = PathComponent.parse(components[1])?.bytes else { return nil }
        return .secretService(SecretServiceItem(kind, name: name))
      }
    }
    return password(.internetPassword, internetParts, components[...])
  }

  private static func password(
    _ itemClass: ItemClass, _ parts: [Item.Attribute], _ components: ArraySlice<Substring>
  ) -> Item.Key? {
    guard let shared = Self.shared(components.dropFirst(parts.count)) else { return nil }
    var values: [Item.Attribute: ByteString] = [.accessGroup: shared.group ?? ""]
    if shared.isSynchronizable { values[.isSynchronizable] = "1" }
    for (part, component) in zip(parts, components) {
      guard let parsed = PathComponent.parse(component) else { return nil }
      values[part] = parsed.bytes
    }
    return Item.Key(itemClass) { values[$0] }
  }

  private static func cryptographic(
    _ kind: CryptographicItem.Kind, _ components: ArraySlice<Substring>
  ) -> Item.Key? {
    guard components.count >= 2, let shared = Self.shared(components.prefix(2)) else { return nil }
    var attributes = FurtherAttributes()
    for component in components.dropFirst(2) {
      let tag = ByteString(component.prefix(4))
      guard FurtherAttributes.isTag(tag), component.dropFirst(4).first == ".",
        let value = PathComponent.parse(component.dropFirst(5))?.bytes
      else { return nil }
      attributes[tag] = value
    }
    return .cryptographic(
      CryptographicItem(
        kind, attributes, accessGroup: shared.group, isSynchronizable: shared.isSynchronizable))
  }

  /// The access group and the mark for synchronization; both absent without components.
  private static func shared(
    _ components: ArraySlice<Substring>
  ) -> (group: ByteString?, isSynchronizable: Bool)? {
    if components.isEmpty { return (nil, false) }
    guard components.count == 2, let group = components.first.flatMap({ PathComponent.parse($0) }),
      let sync = components.last
    else { return nil }
    if sync != PathComponent.absent, sync != Self.synchronizable { return nil }
    return (group.bytes, sync == Self.synchronizable)
  }
}

extension ItemPath: CustomStringConvertible {
  package var description: String { text }
}
