import CSecret
import Keychain
import SecretService

/// An interface as it is described to GLib.
struct InterfaceDescription {
  /// The types of each method's arguments, as one tuple.
  let arguments: [String: String]
  let properties: [BusProperty]
  /// Its description.
  let xml: String

  /// All interfaces by their names.
  static let all: [String: InterfaceDescription] = {
    guard let node = g_dbus_node_info_new_for_xml(busInterfaces, nil) else {
      preconditionFailure("the interfaces' description is invalid")
    }
    defer { g_dbus_node_info_unref(node) }
    return listed(node.pointee.interfaces).reduce(into: [:]) {
      $0[String(cString: $1.pointee.name)] = InterfaceDescription($1)
    }
  }()

  private init(_ info: UnsafeMutablePointer<GDBusInterfaceInfo>) {
    arguments = Self.listed(info.pointee.methods).reduce(into: [:]) { arguments, method in
      let types = Self.listed(method.pointee.in_args).map { String(cString: $0.pointee.signature) }
      arguments[String(cString: method.pointee.name)] = "(\(types.joined()))"
    }
    properties = Self.listed(info.pointee.properties).map { property in
      BusProperty(
        name: String(cString: property.pointee.name), type: String(cString: property.pointee.signature),
        isWritable: property.pointee.flags.rawValue & G_DBUS_PROPERTY_INFO_FLAGS_WRITABLE.rawValue != 0)
    }
    let text = g_string_new(nil)
    g_dbus_interface_info_generate_xml(info, 2, text)
    xml = text.map { String(cString: $0.pointee.str) } ?? ""
    g_string_free(text, 1)
  }

  /// The elements of GLib's list, which ends with NULL, or is NULL if it is empty.
  private static func listed<Info>(
    _ list: UnsafeMutablePointer<UnsafeMutablePointer<Info>?>?
  ) -> [UnsafeMutablePointer<Info>] {
    guard let list else { return [] }
    return sequence(first: list) { $0 + 1 }.lazy.map(\.pointee).prefix { $0 != nil }.compactMap { $0 }
  }

  /// The types of a method's arguments, as one tuple; `nil` if there is no such method.
  ///
  /// - Parameter interface: without it, the method of any interface is meant, because equal names have equal types.
  static func arguments(of method: String, in interface: String?) -> String? {
    if let interface { return all[interface]?.arguments[method] }
    return all.values.lazy.compactMap { $0.arguments[method] }.first
  }
}

/// A property of objects.
struct BusProperty {
  let name: String
  let type: String
  let isWritable: Bool

  /// A property that somebody wants to set.
  ///
  /// - Throws: ``ServiceError/unknownProperty``, ``ServiceError/readOnlyProperty``, and
  ///   ``ServiceError/invalidArguments(_:)`` for a value of another type.
  static func set(
    _ name: String, of interface: String, to value: Variant
  ) throws(ServiceError) -> TypedVariant {
    let property = InterfaceDescription.all[interface]?.properties.first { $0.name == name }
    guard let property else { throw .unknownProperty }
    if !property.isWritable { throw .readOnlyProperty }
    do throws(BusFailure) {
      return try value.checked(as: property.type, of: name)
    } catch {
      throw .invalidArguments("the type of \(name) is \(property.type)")
    }
  }

  /// The properties for a new object, given by full names such as `org.freedesktop.Secret.Item.Label`. As in
  /// gnome-keyring, an unsupported one is an error, because ignoring it would lose data. Returns the values by the
  /// properties' short names.
  static func given(
    _ properties: TypedVariant, of interface: String
  ) throws(ServiceError) -> [String: TypedVariant] {
    // Parsing must be quick, whatever is sent.
    if properties.variant.size > ItemBounds.attributes * 2 { throw .tooManyAttributes }
    let given = properties.parts.reduce(into: [:]) { $0[$1[0].text] = $1[1].content }
    var values: [String: TypedVariant] = [:]
    for (fullName, value) in given {
      guard fullName.hasPrefix(interface + ".") else { throw .unknownProperty }
      let name = String(fullName.dropFirst(interface.count + 1))
      values[name] = try set(name, of: interface, to: value)
    }
    return values
  }
}
