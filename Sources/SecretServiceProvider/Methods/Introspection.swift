import Keychain
import SecretService

extension Provider {
  /// Describes an object (D-Bus specification, "org.freedesktop.DBus.Introspectable").
  func introspect(_ call: MethodCall) throws(ServiceError) {
    guard call.member == "Introspect" else { throw .unknownMethod }
    _ = try call.arguments("()")
    var text = """
      <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
      <node>

      """
    let object = object(at: call.path, for: call.sender)
    if case .unusable = state, object?.isInKeychain ?? false { try requireUnlocked() }
    if let object {
      text += Self.standardInterfaces
      switch object {
      case .service: text += Self.serviceInterface
      case .collection: text += Self.collectionInterface
      case .item, .hidden: text += Self.itemInterface
      case .session: text += Self.sessionInterface
      case .prompt: text += Self.promptInterface
      case .portal: text += Self.portalInterface
      case .portalRequest: text += Self.portalRequestInterface
      case .folder: break
      }
    } else if Self.children(onTheWay: call.path).isEmpty {
      throw .unknownObject
    }
    for child in children(of: call.path, object) { text += "  <node name=\"\(child)\"/>\n" }
    call.answer([Argument.text(text + "</node>\n")])
  }

  private func children(of path: String, _ object: ServedObject?) -> [String] {
    switch object {
    case .service: return ["aliases", "collection", "prompt", "session"]
    case .folder:
      switch path.split(separator: "/").last {
      case "collection": return holdings.collections.keys.map(ObjectPath.encoded).sorted()
      case "aliases": return ["default"]
      default: return []
      }
    case .collection(let collection):
      return holdings.paths(in: collection.name).compactMap { $0.split(separator: "/").last.map(String.init) }
    case nil:
      return Self.children(onTheWay: path)
    default: return []
    }
  }

  /// The next path parts on the way to the service and the portal's object.
  private static func children(onTheWay path: String) -> [String] {
    let folder = path == "/" ? path : path + "/"
    let below = [ObjectPath.service, ObjectPath.portal].filter { $0.hasPrefix(folder) }
    let names: [Substring] = below.compactMap { $0.dropFirst(folder.count).split(separator: "/").first }
    return Set(names).sorted().map(String.init)
  }

  private static func method(_ name: String, _ arguments: [(String, String, Bool)]) -> String {
    var text = "    <method name=\"\(name)\">\n"
    for (name, type, isOutput) in arguments {
      text += "      <arg name=\"\(name)\" type=\"\(type)\" direction=\"\(isOutput ? "out" : "in")\"/>\n"
    }
    return text + "    </method>\n"
  }

  private static func signal(_ name: String, _ arguments: [(String, String)]) -> String {
    var text = "    <signal name=\"\(name)\">\n"
    for (name, type) in arguments { text += "      <arg name=\"\(name)\" type=\"\(type)\"/>\n" }
    return text + "    </signal>\n"
  }

  private static func interface(_ name: String, _ members: [String]) -> String {
    let properties = (ServedProperty.all(of: name) ?? []).map { property in
      let access = property.isWritable ? "readwrite" : "read"
      return "    <property name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(access)\"/>\n"
    }
    return "  <interface name=\"\(name)\">\n\((members + properties).joined())  </interface>\n"
  }

  private static let standardInterfaces =
    interface(
      Interface.properties,
      [
        method("Get", [("interface", "s", false), ("property", "s", false), ("value", "v", true)]),
        method("GetAll", [("interface", "s", false), ("properties", "a{sv}", true)]),
        method("Set", [("interface", "s", false), ("property", "s", false), ("value", "v", false)]),
        signal("PropertiesChanged", [("interface", "s"), ("changed", "a{sv}"), ("invalidated", "as")]),
      ]) + interface(Interface.introspectable, [method("Introspect", [("data", "s", true)])])

  private static let serviceInterface =
    interface(
      Interface.service,
      [
        method(
          "OpenSession",
          [("algorithm", "s", false), ("input", "v", false), ("output", "v", true), ("result", "o", true)]),
        method(
          "CreateCollection",
          [
            ("properties", "a{sv}", false), ("alias", "s", false), ("collection", "o", true),
            ("prompt", "o", true),
          ]),
        method(
          "SearchItems", [("attributes", "a{ss}", false), ("unlocked", "ao", true), ("locked", "ao", true)]),
        method("Unlock", [("objects", "ao", false), ("unlocked", "ao", true), ("prompt", "o", true)]),
        method("Lock", [("objects", "ao", false), ("locked", "ao", true), ("prompt", "o", true)]),
        method("LockService", []),
        method(
          "GetSecrets", [("items", "ao", false), ("session", "o", false), ("secrets", "a{o(oayays)}", true)]),
        method("ReadAlias", [("name", "s", false), ("collection", "o", true)]),
        method("SetAlias", [("name", "s", false), ("collection", "o", false)]),
        signal("CollectionCreated", [("collection", "o")]),
        signal("CollectionDeleted", [("collection", "o")]),
        signal("CollectionChanged", [("collection", "o")]),
      ])
    + interface(
      Interface.keyring,
      [method("UnlockWithMasterPassword", [("collection", "o", false), ("master", "(oayays)", false)])])

  private static let collectionInterface = interface(
    Interface.collection,
    [
      method("Delete", [("prompt", "o", true)]),
      method("SearchItems", [("attributes", "a{ss}", false), ("results", "ao", true)]),
      method(
        "CreateItem",
        [
          ("properties", "a{sv}", false), ("secret", "(oayays)", false), ("replace", "b", false),
          ("item", "o", true), ("prompt", "o", true),
        ]),
      signal("ItemCreated", [("item", "o")]), signal("ItemDeleted", [("item", "o")]),
      signal("ItemChanged", [("item", "o")]),
    ])

  private static let itemInterface = interface(
    Interface.item,
    [
      method("Delete", [("prompt", "o", true)]),
      method("GetSecret", [("session", "o", false), ("secret", "(oayays)", true)]),
      method("SetSecret", [("secret", "(oayays)", false)]),
    ])

  private static let sessionInterface = interface(Interface.session, [method("Close", [])])

  private static let portalInterface = interface(
    Interface.portal,
    [
      method(
        "RetrieveSecret",
        [
          ("handle", "o", false), ("app_id", "s", false), ("fd", "h", false), ("options", "a{sv}", false),
          ("response", "u", true), ("results", "a{sv}", true),
        ])
    ])

  private static let portalRequestInterface = interface(Interface.portalRequest, [method("Close", [])])

  private static let promptInterface = interface(
    Interface.prompt,
    [
      method("Prompt", [("window", "s", false)]), method("Dismiss", []),
      signal("Completed", [("dismissed", "b"), ("result", "v")]),
    ])
}
