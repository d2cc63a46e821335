import CSecret
import Keychain

/// The service that owns `org.freedesktop.secrets` (Secret Service API 0.2), with the necessary calls.
final class Service {

  let bus: SessionBus
  /// The unique name of the program that answered.
  private(set) var owner: String
  /// The collection with the alias `default`; `nil` if there is none.
  private(set) var defaultCollection: String?
  let isOwn: Bool

  /// Says Hello, and finds the answering program by asking for the default collection.
  ///
  /// This must be the first message to the service, answered before the next is sent: with most other messages, and
  /// with two at once, gnome-keyring 42 may end with a failed assertion if several clients arrive at the same time.
  ///
  /// - Parameters:
  ///   - patience: how long the reply may take, in milliseconds.
  ///   - meanwhile: called after the calls were sent.
  init(on bus: SessionBus, patience: Int, meanwhile: () -> Void = {}) throws(BusFailure) {
    self.bus = bus
    let replies = bus.replies(
      to: [.hello, .owner(of: BusName.service), Self.readingDefaultAlias(), .owner(of: BusName.own)],
      patience: patience, meanwhile: meanwhile)
    _ = try replies[0].get()
    let reply: SessionBus.Reply
    do throws(BusFailure) {
      reply = try replies[2].get()
    } catch {
      throw error.isAboutMissingService ? error.asAbsence : error
    }
    owner = reply.sender
    // llavero takes its own name first. A program started by the bus for this call has none yet, and one that takes
    // over from another may have only one of them.
    let hadName = (try? SessionBus.owner(in: replies[1].get().body)) == owner
    var llavero = try? SessionBus.owner(in: replies[3].get().body)
    if !hadName || llavero != nil && llavero != owner { llavero = try? bus.owner(of: BusName.own) }
    isOwn = llavero == owner
    // If gnome-keyring loses the same race, its first answer is "/", although there is a default collection.
    defaultCollection = try Self.path(in: reply.body, of: "ReadAlias")
    if defaultCollection == nil {
      let again = try bus.call(Self.readingDefaultAlias(of: owner))
      defaultCollection = try Self.path(in: again, of: "ReadAlias")
    }
  }

  /// The path that is the whole reply; `nil` for no object.
  private static func path(in reply: Variant, of call: String) throws(BusFailure) -> String? {
    let path = try reply.checked(as: "(o)", of: call)[0].text
    return path == ObjectPath.none ? nil : path
  }

  private static func readingDefaultAlias(of destination: String = BusName.service) -> SessionBus.Call {
    SessionBus.Call(
      method: "ReadAlias", interface: Interface.service, path: ObjectPath.service, destination: destination,
      arguments: Argument.tuple([Argument.text("default")]))
  }

  /// Whether the same program still answers. Updates the default collection.
  func isStillThere() throws(BusFailure) -> Bool {
    let reply = try bus.replies(to: [Self.readingDefaultAlias()])[0].get()
    if reply.sender != owner { return false }
    defaultCollection = try Self.path(in: reply.body, of: "ReadAlias")
    return true
  }

  // MARK: Calls

  func call(
    _ method: String, of interface: String = Interface.service, at path: String = ObjectPath.service,
    _ arguments: OpaquePointer...
  ) -> SessionBus.Call {
    SessionBus.Call(
      method: method, interface: interface, path: path, destination: owner,
      arguments: Argument.tuple(arguments))
  }

  func reading(_ property: String, of interface: String, at path: String) -> SessionBus.Call {
    call("Get", of: Interface.properties, at: path, Argument.text(interface), Argument.text(property))
  }

  func readingAll(of interface: String, at path: String) -> SessionBus.Call {
    call("GetAll", of: Interface.properties, at: path, Argument.text(interface))
  }

  func property(_ name: String, of interface: String, at path: String) throws(BusFailure) -> Variant {
    let reply = try bus.call(reading(name, of: interface, at: path))
    return try reply.checked(as: "(v)", of: "Get")[0].content
  }

  func set(_ property: String, ofItem path: String, to value: OpaquePointer) throws(BusFailure) {
    _ = try bus.call(
      call(
        "Set", of: Interface.properties, at: path, Argument.text(Interface.item),
        Argument.text(property), Argument.variant(value)))
  }

  func collections() throws(BusFailure) -> [String] {
    try property("Collections", of: Interface.service, at: ObjectPath.service)
      .paths(of: "property Collections")
      .reduce(into: []) { paths, path in if !paths.contains(path) { paths.append(path) } }
  }

  func isLocked(_ collection: String) throws(BusFailure) -> Bool {
    try property("Locked", of: Interface.collection, at: collection).bool(of: "property Locked")
  }

  /// A call for the items with all of the attributes.
  func search(_ attributes: [String: String]) -> SessionBus.Call {
    call("SearchItems", Argument.texts(attributes))
  }

  /// Items without their secrets, in the order of the paths. Items that are gone are left out, and repeated paths count
  /// once.
  func items(at paths: [String]) throws(BusFailure) -> [StoredItem] {
    var items: [StoredItem] = []
    var known: Set<String> = []
    let paths = paths.filter { known.insert($0).inserted }
    if paths.isEmpty { return items }
    let replies = bus.replies(
      to: paths.map { readingAll(of: Interface.item, at: $0) })
    for (path, reply) in zip(paths, replies) {
      do throws(BusFailure) {
        items.append(try storedItem(path, try reply.get().body))
      } catch {
        if !error.isAboutMissingObject { throw error }
      }
    }
    return items
  }

  private func storedItem(_ path: String, _ reply: Variant) throws(BusFailure) -> StoredItem {
    do throws(BusFailure) {
      return try StoredItem(path: path, properties: reply)
    } catch {
      // An item being deleted may have lost some of its properties, and be gone at the second attempt.
      return try StoredItem(
        path: path, properties: try bus.call(readingAll(of: Interface.item, at: path)))
    }
  }

  /// Makes an object. Returns its path, or the path of the prompt that makes it.
  func made(by call: SessionBus.Call) throws(BusFailure) -> (made: String, prompt: String) {
    let reply = try bus.call(call)
    let paths = try refusing(reply.checked(as: "(oo)", of: call.method))
    return (paths[0].text, paths[1].text)
  }

  /// Asks to unlock objects. Returns the path of the prompt to run; `nil` if all are unlocked.
  func unlock(_ paths: [String]) throws(BusFailure) -> String? {
    let reply = try bus.call(call("Unlock", Argument.paths(paths)))
    let prompt = try reply.checked(as: "(aoo)", of: "Unlock")[1].text
    return prompt == ObjectPath.none ? nil : prompt
  }

  /// A program with peculiarities.
  enum Product {
    case gnomeKeyring
    /// `kwalletd5`, `kwalletd6` before 6.13 or `ksecretd`.
    case kWallet
  }

  private static let products: [(name: String, product: Product)] = [
    ("org.gnome.keyring", .gnomeKeyring), ("org.kde.kwalletd5", .kWallet), ("org.kde.kwalletd6", .kWallet),
    ("org.kde.secretservicecompat", .kWallet),
  ]

  /// The product, by the names that it has beside the service's; `nil` if it is none of these.
  private(set) lazy var product: Product? = zip(
    Self.products, bus.replies(to: Self.products.map { .owner(of: $0.name) })
  ).first { (try? SessionBus.owner(in: $1.get().body)) == owner }?.0.product

  /// Whether the same program has another name on the bus, too.
  func has(name: String) -> Bool { (try? bus.owner(of: name)) == owner }

  /// The process that owns the service's name, and its program, as far as known.
  func process() -> (id: UInt32, program: String?)? {
    guard let id = bus.process(of: owner) else { return nil }
    let program = programName(of: id)
    // Otherwise it may have ended, and its number have been reused.
    return bus.process(of: owner) == id ? (id, program) : nil
  }
}
