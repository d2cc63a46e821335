import CSecret
import Glibc
import SecretService
import Synchronization

/// The connection to the session bus on which the service is called.
final class ProviderConnection {
  /// How many calls may wait. Further ones get an error, so that no program can fill the memory.
  private static let waitingCalls = 20_000

  struct Events {
    let onCall: (MethodCall) -> Void
    let onDeparture: (_ uniqueName: String) -> Void
    let onLoss: (_ name: String) -> Void
    let onEnd: () -> Void
  }

  /// Shared by GLib's thread and the main thread.
  private final class Shared: @unchecked Sendable {
    // Unchecked is sound: the count is atomic, and only the main thread uses the rest.
    let waiting = Atomic(0)
    let events: Events
    init(_ events: Events) { self.events = events }
  }

  private let connection: OpaquePointer
  private let shared: Shared

  /// Connects. Calls are handled from now on, even before the service has its name.
  ///
  /// - Parameter address: a D-Bus server address.
  init(_ address: String, _ events: Events) throws(BusFailure) {
    var error: UnsafeMutablePointer<GError>?
    let flags = GDBusConnectionFlags(
      rawValue: G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
        | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
    guard let connection = g_dbus_connection_new_for_address_sync(address, flags, nil, nil, &error) else {
      throw BusFailure(error, call: "Hello", timeout: 0)
    }
    self.connection = connection
    shared = Shared(events)
    let data = Unmanaged.passRetained(shared).toOpaque()
    g_dbus_connection_add_filter(
      connection, { ProviderConnection.take($0, $1, $2, $3) }, data, nil)
    csecret_on_closing(
      connection,
      { data in
        let shared = Unmanaged<Shared>.fromOpaque(data).takeUnretainedValue()
        MainLoop.post { shared.events.onEnd() }
      }, data)
    bus.listen(to: "NameOwnerChanged", of: Interface.bus, at: ObjectPath.bus) { [shared] signal in
      guard let change = signal.parameters("(sss)"), change[2].text.isEmpty else { return }
      let name = change[0].text
      if name.hasPrefix(":") { shared.events.onDeparture(name) }
    }
    bus.listen(to: "NameLost", of: Interface.bus, at: ObjectPath.bus) { [shared] signal in
      if let name = signal.parameters("(s)")?[0].text { shared.events.onLoss(name) }
    }
  }

  /// Picks the calls out of the incoming messages, on GLib's thread.
  private static func take(
    _ connection: OpaquePointer?, _ message: OpaquePointer?, _ isIncoming: gboolean, _ data: gpointer?
  ) -> OpaquePointer? {
    guard isIncoming != 0, let connection, let message, let data,
      g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_METHOD_CALL,
      let path = g_dbus_message_get_path(message), isServed(String(cString: path)),
      g_dbus_message_get_interface(message).map({ String(cString: $0) }) != Interface.peer,
      let call = MethodCall(taking: message, on: connection)
    else { return message }
    let shared = Unmanaged<Shared>.fromOpaque(data).takeUnretainedValue()
    if shared.waiting.load(ordering: .relaxed) > waitingCalls {
      call.refuse(.limitsExceeded("too many calls are waiting"))
      return nil
    }
    shared.waiting.wrappingAdd(1, ordering: .relaxed)
    MainLoop.post {
      shared.waiting.wrappingSubtract(1, ordering: .relaxed)
      shared.events.onCall(call)
    }
    return nil
  }

  private static func isServed(_ path: String) -> Bool {
    [ObjectPath.service, ObjectPath.portal].contains {
      path == $0 || path.hasPrefix($0 + "/") || $0.hasPrefix(path)
    }
  }

  enum Claim: Equatable {
    case isOurs
    case isTaken
  }

  /// Requests a well-known name. Other programs may ask to take it over later.
  ///
  /// - Parameters:
  ///   - replaces: whether to take it from a program that allows that.
  ///   - waits: whether to queue for the name if it is taken, now or later.
  func claim(_ name: String, replaces: Bool, waits: Bool = false) throws(BusFailure) -> Claim {
    // ALLOW_REPLACEMENT, REPLACE_EXISTING, DO_NOT_QUEUE (D-Bus specification, "RequestName")
    let flags: UInt32 = 0x1 | (replaces ? 0x2 : 0) | (waits ? 0 : 0x4)
    let call = "RequestName"
    let reply = try bus.call(
      call, of: Interface.bus, at: ObjectPath.bus, [Argument.text(name), Argument.number(flags)])
    let code = try reply.checked(as: "(u)", of: call)[0].number
    // PRIMARY_OWNER or ALREADY_OWNER
    return code == 1 || code == 4 ? .isOurs : .isTaken
  }

  /// Finds the process that owns a name, without waiting.
  ///
  /// - Parameter report: called on the main thread; with `nil` if nobody owns the name any more.
  func findProcess(of name: String, then report: @escaping (UInt32?) -> Void) {
    g_dbus_connection_call(
      connection, BusName.bus, ObjectPath.bus, Interface.bus, "GetConnectionUnixProcessID",
      Argument.tuple([Argument.text(name)]), nil, G_DBUS_CALL_FLAGS_NONE, 5000, nil,
      { source, result, data in
        guard let source, let data else { return }
        let connection = OpaquePointer(UnsafeMutableRawPointer(source))
        let reply = g_dbus_connection_call_finish(connection, result, nil).map(Variant.init(taking:))
        let process = (try? reply?.checked(as: "(u)", of: "process"))?[0].number
        Held<(UInt32?) -> Void>.taken(from: data)(process.map { UInt32(clamping: $0) })
      }, Held.data(report))
  }

  private var bus: BusPeer { BusPeer(BusName.bus, on: connection) }

  func emit(
    _ member: String, of interface: String, at path: String, to destination: String? = nil,
    _ values: [OpaquePointer]
  ) {
    g_dbus_connection_emit_signal(
      connection, destination, path, interface, member, Argument.tuple(values), nil)
  }

  func flush() { g_dbus_connection_flush_sync(connection, nil, nil) }
}
