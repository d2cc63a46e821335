import Bytes
import Keychain
import SecretService

enum ServedObject {
  /// The service, or a path on the way to its objects.
  case service
  case folder
  case collection(ServedCollection)
  case item(ServedItem)
  /// An unknown object in a locked keychain, with the search that it stands for, if any.
  case hidden(LockedSearch?)
  case session(ServedSession)
  case prompt(ServedPrompt)
  case portal
  case portalRequest(PortalRequest)

  /// Whether it belongs to the keychain, and not only to memory.
  var isInKeychain: Bool {
    switch self {
    case .collection(let collection): collection.name != CollectionName.session
    case .item(let item): item.item != nil
    case .hidden: true
    case .service, .folder, .session, .prompt, .portal, .portalRequest: false
    }
  }

  var interface: String? {
    switch self {
    case .service: Interface.service
    case .folder: nil
    case .collection: Interface.collection
    case .item, .hidden: Interface.item
    case .session: Interface.session
    case .prompt: Interface.prompt
    case .portal: Interface.portal
    case .portalRequest: Interface.portalRequest
    }
  }

  /// The interfaces that introspection shows, besides D-Bus's own.
  var interfaces: [String] {
    if case .service = self { [Interface.service, Interface.keyring] } else { interface.map { [$0] } ?? [] }
  }
}

extension Provider {
  /// The object at a path; `nil` if there is none.
  ///
  /// - Parameter caller: the asking connection, which can't use the sessions and prompts of others.
  func object(at path: String, for caller: String) -> ServedObject? {
    if let item = holdings.items[path] { return .item(item) }
    if path == ObjectPath.service { return .service }
    if path == ObjectPath.portal { return .portal }
    if let request = portalRequests[path] { return .portalRequest(request) }
    guard let parts = ObjectPath.parts(path), parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    switch (parts[0], parts.count) {
    case ("collection", 1), ("aliases", 1), ("session", 1), ("prompt", 1): return .folder
    case ("collection", 2), ("collection", 3): return object(at: path, in: String(parts[1]), parts.count == 3)
    case ("aliases", 2), ("aliases", 3):
      guard let name = holdings.collection(alias: String(parts[1])) else { return nil }
      let collection = ObjectPath.collection(name)
      return object(at: parts.count == 3 ? "\(collection)/\(parts[2])" : collection, for: caller)
    case ("session", 2):
      guard let session = try? sessions.session(at: path, of: caller) else { return nil }
      return .session(session)
    case ("prompt", 2): return prompts.prompt(at: path).map { .prompt($0) }
    default: return nil
    }
  }

  private func object(at path: String, in encodedName: String, _ isItem: Bool) -> ServedObject? {
    let known = holdings.collections.values.first { ObjectPath.encoded($0.name) == encodedName }
    if !isItem {
      if let known { return .collection(known) }
      // A locked keychain hides its other collections.
      if case .unlocked = state { return nil }
      if let name = ObjectPath.decoded(encodedName) {
        return .collection(ServedCollection(name: name, label: name.description))
      }
      return nil
    }
    if let search = lockedSearches[path] {
      if isLocked { return .hidden(search) }
      return holdings.search(search.wanted, in: search.collection).first.map { .item($0) }
    }
    if case .unlocked = state { return nil }
    return encodedName != ObjectPath.encoded(CollectionName.session) ? .hidden(nil) : nil
  }
}
