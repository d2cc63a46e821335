import CSecret
import Keychain
import SecretService

extension Provider {
  func answerProperties(_ call: MethodCall, of object: ServedObject) throws(ServiceError) {
    switch call.member {
    case "Get":
      let arguments = try call.arguments()
      let properties = try properties(of: object, in: arguments[0].text, for: call.sender)
      let name = arguments[1].text
      guard let value = properties.first(where: { $0.name == name })?.value else { throw .unknownProperty }
      call.answer([Argument.variant(value())])
    case "GetAll":
      let properties = try properties(of: object, in: try call.arguments()[0].text, for: call.sender)
      call.answer([Argument.properties(properties.map { ($0.name, $0.value()) })])
    case "Set":
      let arguments = try call.arguments()
      let interface = try interface(arguments[0].text, of: object)
      let name = arguments[1].text
      let value = try BusProperty.set(name, of: interface ?? "", to: arguments[2].content)
      var items: [ServedItem] = []
      if case .item(let item) = object { items = [item] }
      try whenAllowed(items, call) { [self] () throws(ServiceError) in
        try set(name, of: object, to: value, call)
      }
    default: throw .unknownMethod
    }
  }

  private func set(
    _ name: String, of object: ServedObject, to value: TypedVariant, _ call: MethodCall
  ) throws(ServiceError) {
    switch (object, name) {
    case (.hidden, _): throw .isLocked
    case (.collection(let collection), "Label"):
      try requireUnlocked(collection.name)
      try setLabel(value.text, of: collection, call)
    case (.item(let item), "Label"):
      let label = value.text
      try change(item, call) { $0.label = label }
    case (.item(let item), "Attributes"):
      let attributes = try attributes(value)
      try change(item, call) { $0.attributes = attributes }
    case (.item(let item), "Type"):
      let type = value.text
      try change(item, call) { $0.type = type }
    default: throw .readOnlyProperty
    }
  }

  typealias Property = (name: String, value: () -> OpaquePointer)

  /// The interface whose properties are meant; without a name, the object's own. `nil` for one without properties.
  private func interface(_ name: String, of object: ServedObject) throws(ServiceError) -> String? {
    if name.isEmpty || name == object.interface { return object.interface }
    if Interface.ofEveryObject.contains(name) { return nil }
    if case .service = object, name == Interface.keyring || name == Interface.own { return nil }
    throw .unknownInterface
  }

  private func properties(
    of object: ServedObject, in interface: String, for caller: String
  ) throws(ServiceError) -> [Property] {
    if try self.interface(interface, of: object) == nil { return [] }
    // An unreadable keychain must not look empty.
    if case .unusable = state, object.isInKeychain { try requireUnlocked() }
    switch object {
    case .service: return [("Collections", { [self] in Argument.paths(collectionPaths) })]
    case .collection(let collection): return properties(of: collection)
    case .item(let item): return properties(of: item, isLocked: usable([item], by: caller).isEmpty)
    case .hidden(let search):
      return [
        // Only the attributes searched for: some programs read them before they unlock anything.
        ("Attributes", { Argument.attributes(search?.wanted ?? LookupAttributes()) }),
        ("Label", { Argument.text("") }),
        ("Locked", { Argument.bool(true) }), ("Created", { Argument.time(0) }),
        ("Modified", { Argument.time(0) }),
        ("Type", { Argument.text("") }),
      ]
    case .portal: return [("version", { Argument.number(1) })]
    case .session, .prompt, .folder, .portalRequest: return []
    }
  }

  var collectionPaths: [String] { holdings.collections.values.map(\.path).sorted() }

  func properties(of collection: ServedCollection) -> [Property] {
    [
      ("Items", { [self] in Argument.paths(holdings.paths(in: collection.name)) }),
      ("Label", { Argument.text(collection.label) }),
      ("Locked", { [self] in Argument.bool(isLocked(collection.name)) }),
      ("Created", { [self] in Argument.time(holdings.created(collection)) }),
      ("Modified", { [self] in Argument.time(holdings.modified(collection)) }),
    ]
  }

  func properties(of item: ServedItem, isLocked: Bool) -> [Property] {
    [
      ("Attributes", { Argument.attributes(item.shown.attributes) }),
      ("Label", { Argument.text(item.shown.label) }), ("Locked", { Argument.bool(isLocked) }),
      ("Created", { Argument.time(item.created) }), ("Modified", { Argument.time(item.modified) }),
      ("Type", { Argument.text(item.shown.type) }),
    ]
  }
}
