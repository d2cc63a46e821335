import CSecret
import Keychain
import SecretService

extension Provider {
  /// Describes an object (D-Bus specification, "org.freedesktop.DBus.Introspectable").
  func introspect(_ call: MethodCall) throws(ServiceError) {
    guard call.member == "Introspect" else { throw .unknownMethod }
    _ = try call.arguments()
    let object = object(at: call.path, for: call.sender)
    if case .unusable = state, object?.isInKeychain ?? false { try requireUnlocked() }
    if object == nil, Self.children(onTheWay: call.path).isEmpty { throw .unknownObject }
    let names = object.map { [Interface.properties, Interface.introspectable] + $0.interfaces } ?? []
    let interfaces = names.compactMap { InterfaceDescription.all[$0]?.xml }
    let children = children(of: call.path, object).map { "  <node name=\"\($0)\"/>\n" }
    call.answer([
      Argument.text(
        """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
        \((interfaces + children).joined())</node>

        """)
    ])
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
}
