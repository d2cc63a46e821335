import Keychain
import SecretService

/// A property of objects (Secret Service draft 0.2, chapter 16; `Type` is gnome-keyring's).
struct ServedProperty {
  let name: String
  let type: String
  var isWritable = false

  /// The properties of an interface; `nil` if no object has it.
  static func all(of interface: String) -> [ServedProperty]? {
    switch interface {
    case Interface.service: [ServedProperty(name: "Collections", type: "ao")]
    case Interface.collection:
      [
        ServedProperty(name: "Items", type: "ao"), ServedProperty(name: "Label", type: "s", isWritable: true),
        ServedProperty(name: "Locked", type: "b"), ServedProperty(name: "Created", type: "t"),
        ServedProperty(name: "Modified", type: "t"),
      ]
    case Interface.item:
      [
        ServedProperty(name: "Locked", type: "b"),
        ServedProperty(name: "Attributes", type: "a{ss}", isWritable: true),
        ServedProperty(name: "Label", type: "s", isWritable: true),
        ServedProperty(name: "Type", type: "s", isWritable: true), ServedProperty(name: "Created", type: "t"),
        ServedProperty(name: "Modified", type: "t"),
      ]
    case Interface.portal: [ServedProperty(name: "version", type: "u")]
    case Interface.session, Interface.prompt, Interface.portalRequest: []
    default: nil
    }
  }

  /// A property that somebody wants to set.
  ///
  /// - Throws: ``ServiceError/unknownProperty``, ``ServiceError/readOnlyProperty``.
  static func writable(_ name: String, of interface: String) throws(ServiceError) -> ServedProperty {
    guard let property = all(of: interface)?.first(where: { $0.name == name }) else { throw .unknownProperty }
    if !property.isWritable { throw .readOnlyProperty }
    return property
  }

  /// The properties for a new object, given by full names such as `org.freedesktop.Secret.Item.Label`. As in
  /// gnome-keyring, an unsupported one is an error, because ignoring it would lose data. Returns the values by the
  /// properties' short names.
  static func given(_ properties: Variant, of interface: String) throws(ServiceError) -> [String: Variant] {
    // Parsing must be quick, whatever is sent.
    if properties.size > ItemBounds.attributes * 2 { throw .tooManyAttributes }
    var given: [String: Variant] = [:]
    do throws(BusFailure) {
      for entry in try properties.parts("a{sv}", of: "properties") {
        let pair = try entry.parts("{sv}", of: "properties")
        given[try pair[0].text(of: "name")] = try pair[1].content(of: "value")
      }
    } catch {
      throw .invalidArguments("properties are variants by their names")
    }
    var values: [String: Variant] = [:]
    for (fullName, value) in given {
      guard fullName.hasPrefix(interface + ".") else { throw .unknownProperty }
      let property = try writable(String(fullName.dropFirst(interface.count + 1)), of: interface)
      guard value.isOf(property.type) else {
        throw .invalidArguments("the type of \(property.name) is \(property.type)")
      }
      values[property.name] = value
    }
    return values
  }
}

extension ItemTranslation.Shown {
  /// The item's schema, which older programs set and read as a separate property. An empty one is none.
  var type: String {
    get { attributes[Self.schema]?.text ?? "" }
    set { attributes[Self.schema] = newValue.isEmpty ? nil : ByteString(newValue) }
  }

  private static let schema: ByteString = "xdg:schema"
}
