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

  /// The path of an item.
  ///
  /// - Throws: ``KeychainError/unusableAttribute(name:_:)`` if a component would be longer than
  ///   ``PathComponent/maximumSize``.
  package init(_ key: Item.Key) throws(KeychainError) {
    var components: [(name: String, text: String)]
    func component(_ name: String, _ value: ByteString?) -> (name: String, text: String) {
      (name, PathComponent.text(value))
    }
    let group = component("access group", key.accessGroup)
    let sync = ("access group", key.isSynchronizable ? Self.synchronizable : PathComponent.absent)
    self.key = key.primaryKey
    switch self.key {
    case .internetPassword(let key):
      components = [
        component("protocol", key.protocol), component("server", key.server),
        component("port", key.port.map { ByteString("\($0)") }),
        component("security domain", key.securityDomain), component("account", key.account),
        component("path", key.path), component("authentication type", key.authenticationType),
      ]
      if key.accessGroup != nil || key.isSynchronizable { components += [group, sync] }
    case .genericPassword(let key):
      components = [
        ("class", Self.generic), component("service", key.service), component("account", key.account),
      ]
      if key.accessGroup != nil || key.isSynchronizable { components += [group, sync] }
    case .cryptographic(let key):
      components = [("class", "~" + key.kind.name), group, sync]
      key.primaryAttributes.forEach { tag, value in
        components.append((tag.description, "\(tag)." + PathComponent.text(value)))
      }
    case .secretService(let key):
      components = [("class", "~" + key.kind.word), component("name", key.name)]
    }
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
      if name == Self.generic { return genericPassword(components.dropFirst()) }
      if let kind = CryptographicItem.Kind.allCases.first(where: { $0.name == word }) {
        return cryptographic(kind, components.dropFirst())
      }
      if let kind = SecretServiceItem.Kind.allCases.first(where: { $0.word == word }) {
        guard components.count == 2, let name = PathComponent.parse(components[1])?.bytes else { return nil }
        return .secretService(SecretServiceItem(kind, name: name))
      }
    }
    return internetPassword(components[...])
  }

  private static func internetPassword(_ components: ArraySlice<Substring>) -> Item.Key? {
    guard components.count == 7 || components.count == 9, let shared = Self.shared(components.dropFirst(7))
    else { return nil }
    var values: [ByteString?] = []
    for component in components.prefix(7) {
      guard let parsed = PathComponent.parse(component) else { return nil }
      values.append(parsed.bytes)
    }
    guard let scheme = values[0] else { return nil }
    var port: UInt16?
    if let text = values[2] {
      guard let number = UInt16(text.description) else { return nil }
      port = number
    }
    return .internetPassword(
      InternetPassword(
        protocol: scheme, server: values[1], port: port, account: values[4], path: values[5],
        securityDomain: values[3], authenticationType: values[6], accessGroup: shared.group,
        isSynchronizable: shared.isSynchronizable))
  }

  private static func genericPassword(_ components: ArraySlice<Substring>) -> Item.Key? {
    let components = Array(components)
    guard components.count == 2 || components.count == 4, let shared = Self.shared(components.dropFirst(2)),
      let service = PathComponent.parse(components[0])?.bytes,
      let account = PathComponent.parse(components[1])
    else { return nil }
    return .genericPassword(
      GenericPassword(
        service: service, account: account.bytes, accessGroup: shared.group,
        isSynchronizable: shared.isSynchronizable))
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
