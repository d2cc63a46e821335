import CSecret
import Glibc
import Keychain
import Synchronization
import TestSupport

@testable import SecretService

/// A separate bus with a Secret Service in this process, which answers as a test tells it: honestly, with values of
/// other types, with prompts, with lies. It doesn't support encryption.
final class FakeService: @unchecked Sendable {
  // Unchecked is sound: `init` makes the connections, and any thread may use GLib's connections.
  static let root = "/org/freedesktop/secrets"
  static let login = root + "/collection/login"
  static let work = root + "/collection/work"
  private static let session = root + "/session/s1"
  private static let api = "org.freedesktop.Secret."

  struct Item {
    var attributes: [String: String]
    var label: String
    var secret: [UInt8]
    var modified = 1_700_000_000
  }

  /// The ending of a prompt.
  enum Ending: Sendable {
    /// As the user wants.
    case done
    case dismissed
    /// Reported as done, without having done anything.
    case claimed
    /// With a signal that has these parameters.
    case strange(String)
  }

  struct State {
    var items: [String: Item] = [:]
    var lastNumber = 0
    /// The collections, and whether each is locked.
    var collections = [FakeService.login: false, FakeService.work: false]
    /// Replies of methods in place of the true ones, in GVariant's text format.
    var replies: [String: String] = [:]
    /// Properties in place of the true ones, by interface and name as in `Item.Label`; `nil` for a missing one.
    var properties: [String: String?] = [:]
    /// The methods that need a prompt.
    var prompting: Set<String> = []
    /// How prompts end automatically; `nil` if they stay open.
    var ending: Ending?
    /// The errors of methods.
    var errors: [String: String] = [:]
    /// The text of the errors.
    var errorText = "it was told to"
    /// Whether it loses the attributes of items that it creates or changes.
    var losesAttributes: (made: Bool, changed: Bool) = (false, false)
    /// Whether it answers calls to what is locked as if they had succeeded, as KWallet does, in place of refusing them.
    var hidesLocks = false
    /// The result in a dismissal, if it isn't that there is no object.
    var dismissal: String?
    /// The number of changing calls that succeed before one fails; `nil` if none does.
    var changesLeft: Int?
    var calls: [String] = []
    fileprivate var prompts: [String: Prompt] = [:]
    fileprivate var lastPrompt = 0
  }

  fileprivate struct Prompt {
    var client = ""
    var isShown = false
    let result: String
    let nothing: String
    let effect: @Sendable (inout State) -> Void
  }

  private let folder = TemporaryFolder()
  private let daemon: Program
  private let bus: SessionBus
  private let stranger: SessionBus
  private let state = Mutex(State())

  var address: String { "unix:path=" + folder["bus"] }

  init() throws {
    daemon = try Program(["dbus-daemon", "--session", "--nofork", "--address=unix:path=" + folder["bus"]])
    let text = "unix:path=" + folder["bus"]
    func connect() -> SessionBus? {
      guard let bus = try? SessionBus(try BusAddress.find(text), patience: 20_000, timeout: 20_000),
        (try? bus.call(.hello)) != nil
      else { return nil }
      return bus
    }
    var connections: [SessionBus] = []
    try waitUntil {
      if let bus = connect() { connections.append(bus) }
      return connections.count == 2
    }
    (bus, stranger) = (connections[0], connections[1])
    bus.withConnection { connection in
      _ = g_dbus_connection_add_filter(
        connection,
        { connection, message, isIncoming, data in
          guard let connection, let message, let data, isIncoming != 0,
            g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_METHOD_CALL
          else { return message }
          Unmanaged<FakeService>.fromOpaque(data).takeUnretainedValue().take(message, connection)
          csecret_unref(UnsafeMutableRawPointer(message))
          return nil
        }, Unmanaged.passUnretained(self).toOpaque(), nil)
    }
    let name = BusName.service
    _ = try bus.call(
      .ofBus("RequestName", Argument.text(name), g_variant_new_uint32(4)))
    reset()
  }

  deinit {
    // So that the filter isn't called any more when this is gone.
    bus.withConnection { _ = g_dbus_connection_close_sync($0, nil, nil) }
    stranger.withConnection { _ = g_dbus_connection_close_sync($0, nil, nil) }
    daemon.end()
  }

  /// Restores the initial state: a single item, alice's on example.com.
  func reset() {
    change { state in
      state = State()
      _ = state.add(
        ["protocol": "https", "server": "example.com", "user": "alice"], "example.com", Array("s3cret".utf8),
        to: Self.login)
    }
  }

  func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

  var items: [String: Item] { change { $0.items } }

  func isLocked(_ collection: String) -> Bool { change { $0.collections[collection] ?? true } }

  var openPrompts: Int { change { $0.prompts.values.count { $0.isShown } } }

  /// A keychain on this service.
  func keychain(
    _ configure: (inout DesktopKeychainSettings) -> Void = { _ in }
  ) throws(KeychainError) -> SecretServiceKeychain {
    var settings = DesktopKeychainSettings()
    settings.busAddress = address
    settings.isEncrypted = false
    settings.mayPrompt = true
    settings.lockFolder = folder["lock"]
    settings.probeTimeout = 20_000
    settings.callTimeout = 20_000
    configure(&settings)
    return try SecretServiceKeychain(settings)
  }

  /// Ends all prompts that are shown.
  func endPrompts(_ ending: Ending) {
    let ended = change { state in
      let ended = state.prompts.filter { $0.value.isShown }
      for (path, prompt) in ended {
        state.prompts[path] = nil
        if case .done = ending { prompt.effect(&state) }
      }
      return ended
    }
    for (path, prompt) in ended { complete(path, prompt, ending) }
  }

  private func complete(_ path: String, _ prompt: Prompt, _ ending: Ending) {
    let parameters =
      switch ending {
      case .done, .claimed: "(false, <\(prompt.result)>)"
      case .dismissed: "(true, <\(change { $0.dismissal } ?? prompt.nothing)>)"
      case .strange(let text): text
      }
    emit("Completed", parameters, at: path, to: prompt.client, on: bus)
  }

  /// Tells everyone who waits for a prompt that it has ended, as a program other than the service.
  func claimPrompts(_ parameters: String) {
    for (path, prompt) in change({ state in state.prompts.filter { $0.value.isShown } }) {
      emit("Completed", parameters, at: path, to: prompt.client, on: stranger)
    }
  }

  /// Sends a signal to everyone.
  func signal(_ member: String, _ parameters: String) {
    emit(member, parameters, at: Self.login, to: nil, interface: "Collection", on: bus)
  }

  /// Sends a signal to each connection by its name, as a program other than the service.
  func pretend(_ member: String, _ parameters: String, of interface: String) throws {
    let names = try stranger.call(.ofBus("ListNames")).checked(as: "(as)", of: "it")[0].parts
    for name in names.map(\.text) where name.hasPrefix(":") {
      _ = stranger.withConnection { connection in
        g_dbus_connection_emit_signal(
          connection, name, Self.login, interface, member, Self.value(parameters), nil)
      }
    }
    try settle()
  }

  /// Makes sure that the bus has received the signals.
  func settle() throws { for bus in [bus, stranger] { _ = try bus.call(.ofBus("GetId")) } }

  private func emit(
    _ member: String, _ parameters: String, at path: String, to client: String?, interface: String = "Prompt",
    on bus: SessionBus
  ) {
    _ = bus.withConnection { connection in
      g_dbus_connection_emit_signal(
        connection, client, path, Self.api + interface, member, Self.value(parameters), nil)
    }
  }

  // MARK: Answering

  private func take(_ call: OpaquePointer, _ connection: OpaquePointer) {
    guard let member = g_dbus_message_get_member(call).map({ String(cString: $0) }),
      let path = g_dbus_message_get_path(call).map({ String(cString: $0) }),
      let client = g_dbus_message_get_sender(call).map({ String(cString: $0) })
    else { return }
    let body = g_dbus_message_get_body(call).flatMap { g_variant_ref($0) } ?? Self.value("()")
    let arguments = TypedVariant(variant: Variant(taking: body))
    let answer = change { state in
      state.calls.append(member)
      return state.answer(member, path, client, arguments)
    }
    let reply: OpaquePointer?
    switch answer {
    case .reply(let text):
      reply = g_dbus_message_new_method_reply(call)
      g_dbus_message_set_body(reply, Self.value(text))
    case .error(let name):
      reply = g_dbus_message_new_method_error_literal(call, name, change { $0.errorText })
    }
    guard let reply else { return }
    g_dbus_connection_send_message(connection, reply, G_DBUS_SEND_MESSAGE_FLAGS_NONE, nil, nil)
    csecret_unref(UnsafeMutableRawPointer(reply))
    if member == "Prompt", let ending = change({ $0.ending }) { endPrompts(ending) }
  }

  /// A value in GVariant's text format.
  static func value(_ text: String) -> OpaquePointer {
    var error: UnsafeMutablePointer<GError>?
    guard let value = g_variant_parse(nil, text, nil, nil, &error) else {
      fatalError("\(text): \(error.map { String(cString: $0.pointee.message) } ?? "")")
    }
    return value
  }

  static func quoted(_ text: String) -> String {
    var quoted = "'"
    for scalar in text.unicodeScalars {
      if scalar == "'" || scalar == "\\" {
        quoted += "\\\(scalar)"
      } else if scalar.value < 32 {
        quoted += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      } else {
        quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "'"
  }

  static func paths(_ paths: [String]) -> String { "@ao [" + paths.map(quoted).joined(separator: ",") + "]" }

  fileprivate enum Answer {
    case reply(String)
    case error(String)
  }
}

extension FakeService.State {
  mutating func add(
    _ attributes: [String: String], _ label: String, _ secret: [UInt8], to collection: String
  ) -> String {
    let path = nextPath(in: collection)
    items[path] = FakeService.Item(attributes: attributes, label: label, secret: secret)
    return path
  }

  private mutating func nextPath(in collection: String) -> String {
    lastNumber += 1
    return "\(collection)/\(lastNumber)"
  }

  fileprivate func isLocked(_ path: String) -> Bool {
    collections.contains { $0.value && (path == $0.key || path.hasPrefix($0.key + "/")) }
  }

  private func found(_ attributes: [String: String]) -> [String] {
    items.filter { item in attributes.allSatisfy { item.value.attributes[$0.key] == $0.value } }.map(\.key)
      .sorted()
  }

  private mutating func prompt(
    _ result: String, _ nothing: String, _ effect: @escaping @Sendable (inout Self) -> Void
  ) -> String {
    lastPrompt += 1
    let path = "\(FakeService.root)/prompt/p\(lastPrompt)"
    prompts[path] = FakeService.Prompt(result: result, nothing: nothing, effect: effect)
    return FakeService.quoted(path)
  }

  /// What KWallet answers for a locked item, of which it does nothing.
  private func quietAnswer(_ member: String) -> FakeService.Answer {
    switch member {
    case "GetSecret":
      let session = FakeService.quoted(FakeService.root + "/session/s1")
      return .reply("((objectpath \(session), @ay [], @ay [], 'text/plain'),)")
    case "Delete": return .reply("(objectpath '/',)")
    default: return .reply("()")
    }
  }

  fileprivate mutating func answer(
    _ member: String, _ path: String, _ client: String, _ arguments: TypedVariant
  ) -> FakeService.Answer {
    if let error = errors[member] { return .error(error) }
    if let reply = replies[member] { return .reply(reply) }
    let needsUnlocked = ["GetSecret", "SetSecret", "Set", "CreateItem", "Delete"]
    if needsUnlocked.contains(member), isLocked(path) {
      if hidesLocks, member != "CreateItem" { return quietAnswer(member) }
      return .error("org.freedesktop.Secret.Error.IsLocked")
    }
    let isItem = items[path] != nil
    if let left = changesLeft, ["SetSecret", "Set", "CreateItem", "Delete"].contains(member) {
      if left == 0 { return .error("org.freedesktop.DBus.Error.Failed") }
      changesLeft = left - 1
    }
    switch member {
    case "ReadAlias": return .reply("(objectpath \(FakeService.quoted(FakeService.login)),)")
    case "OpenSession": return .reply("(<''>, objectpath '\(FakeService.root)/session/s1')")
    case "SearchItems":
      let found = found(arguments[0].texts)
      return .reply(
        "(\(FakeService.paths(found.filter { !isLocked($0) })), \(FakeService.paths(found.filter(isLocked))))"
      )
    case "Get", "GetAll": return property(member, path, arguments)
    case "GetSecret" where isItem:
      let bytes = items[path]?.secret.map { String($0) }.joined(separator: ",") ?? ""
      let session = FakeService.quoted(FakeService.root + "/session/s1")
      return .reply("((objectpath \(session), @ay [], @ay [\(bytes)], 'text/plain'),)")
    case "SetSecret" where isItem: items[path]?.secret = Self.secret(arguments[0])
    case "Set" where isItem:
      let value = TypedVariant(variant: arguments[2].content)
      if arguments[1].text == "Label" { items[path]?.label = value.text }
      if arguments[1].text == "Attributes", !losesAttributes.changed {
        items[path]?.attributes = value.texts
      }
    case "Unlock", "Lock": return lock(member, arguments[0].paths)
    case "CreateItem", "CreateCollection", "Delete": return make(member, path, arguments)
    case "Prompt" where prompts[path] != nil:
      prompts[path]?.client = client
      prompts[path]?.isShown = true
    case "Dismiss": prompts[path] = nil
    case "Ping": break
    default: return .error("org.freedesktop.DBus.Error.UnknownMethod")
    }
    return .reply("()")
  }

  private mutating func lock(_ member: String, _ paths: [String]) -> FakeService.Answer {
    let locks = member == "Lock"
    let changing = collections.keys.filter { collection in
      paths.contains { $0 == collection || $0.hasPrefix(collection + "/") }
        && collections[collection] != locks
    }
    let effect: @Sendable (inout Self) -> Void = { state in
      for collection in changing { state.collections[collection] = locks }
    }
    if changing.isEmpty || !prompting.contains(member) {
      effect(&self)
      return .reply("(\(FakeService.paths(paths)), objectpath '/')")
    }
    return .reply("(@ao [], objectpath \(prompt(FakeService.paths(paths), "@ao []", effect)))")
  }

  /// The bytes of a secret in a session.
  private static func secret(_ value: TypedVariant) -> [UInt8] { value[2].withBytes { Array($0) } }

  private mutating func make(
    _ member: String, _ path: String, _ arguments: TypedVariant
  ) -> FakeService.Answer {
    let effect: @Sendable (inout Self) -> Void
    let made: String
    switch member {
    case "CreateItem":
      made = nextPath(in: path)
      func property(_ name: String) -> TypedVariant? {
        arguments[0].optionalProperty("org.freedesktop.Secret.Item." + name).map { TypedVariant(variant: $0) }
      }
      let attributes = losesAttributes.made ? [:] : property("Attributes")?.texts ?? [:]
      let (label, secret) = (property("Label")?.text ?? "", Self.secret(arguments[1]))
      effect = { $0.items[made] = FakeService.Item(attributes: attributes, label: label, secret: secret) }
    case "CreateCollection":
      made = "\(FakeService.root)/collection/made"
      effect = { $0.collections[made] = false }
    default:
      if items[path] == nil { return .error("org.freedesktop.DBus.Error.UnknownMethod") }
      made = ""
      effect = { $0.items[path] = nil }
    }
    if !prompting.contains(member) {
      effect(&self)
      return .reply(made.isEmpty ? "(objectpath '/',)" : "(objectpath '\(made)', objectpath '/')")
    }
    let prompt = prompt(made.isEmpty ? "''" : "objectpath '\(made)'", "objectpath '/'", effect)
    return .reply(made.isEmpty ? "(objectpath \(prompt),)" : "(objectpath '/', objectpath \(prompt))")
  }

  // MARK: Properties

  private func property(_ member: String, _ path: String, _ arguments: TypedVariant)
    -> FakeService.Answer
  {
    let interface: String
    var truth: [String: String?]
    if let item = items[path] {
      interface = "Item"
      let attributes = item.attributes.sorted { $0.key < $1.key }
        .map { "\(FakeService.quoted($0.key)): \(FakeService.quoted($0.value))" }
      truth = [
        "Attributes": "@a{ss} {\(attributes.joined(separator: ","))}",
        "Label": FakeService.quoted(item.label),
        "Locked": "\(isLocked(path))", "Created": "uint64 1600000000", "Modified": "uint64 \(item.modified)",
      ]
    } else if collections[path] != nil {
      interface = "Collection"
      truth = [
        "Items": FakeService.paths(items.keys.filter { $0.hasPrefix(path + "/") }.sorted()),
        "Label": path == FakeService.login ? "'Login'" : "'Work'", "Locked": "\(isLocked(path))",
        "Created": "uint64 0", "Modified": "uint64 0",
      ]
    } else if path == FakeService.root {
      interface = "Service"
      truth = ["Collections": FakeService.paths(collections.keys.sorted())]
    } else {
      return .error("org.freedesktop.DBus.Error.UnknownMethod")
    }
    for (name, value) in properties where name.hasPrefix(interface + ".") {
      truth[String(name.dropFirst(interface.count + 1))] = .some(value)
    }
    let values = truth.compactMapValues { $0 }
    if member == "GetAll" {
      return .reply("(@a{sv} {\(values.map { "'\($0)': <\($1)>" }.joined(separator: ","))},)")
    }
    guard let value = values[arguments[1].text] else {
      return .error("org.freedesktop.DBus.Error.InvalidArgs")
    }
    return .reply("(<\(value)>,)")
  }
}
