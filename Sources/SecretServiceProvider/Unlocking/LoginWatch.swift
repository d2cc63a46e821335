import CSecret
import Glibc
import SecretService

/// What logind tells on the system bus that makes a keychain be locked: the machine is about to sleep, a session of this
/// user is locked, or the last of them has ended (org.freedesktop.login1(5)).
final class LoginWatch {
  private static let name = "org.freedesktop.login1"
  private static let manager = "\(name).Manager"
  private let connection: OpaquePointer
  private let onLock: () -> Void

  /// - Parameter onLock: called on the main thread.
  /// - Returns: `nil` without a system bus.
  init?(onLock: @escaping () -> Void) {
    var error: UnsafeMutablePointer<GError>?
    guard let connection = g_bus_get_sync(G_BUS_TYPE_SYSTEM, nil, &error) else {
      g_clear_error(&error)
      return nil
    }
    // The end of that bus is none of the service's.
    g_dbus_connection_set_exit_on_close(connection, 0)
    self.connection = connection
    self.onLock = onLock
    listen(Self.manager, "PrepareForSleep") { watch, _, values in
      if (try? values.first?.bool(of: "PrepareForSleep")) == true { watch.onLock() }
    }
    listen("\(Self.name).Session", "Lock") { watch, path, _ in
      if watch.isOwnSession(path) { watch.onLock() }
    }
    listen(Self.manager, "SessionRemoved") { watch, _, _ in
      if watch.hasNoSession() { watch.onLock() }
    }
  }

  private typealias Listener = (LoginWatch, _ path: String, [Variant]) -> Void
  private final class Subscription {
    weak var watch: LoginWatch?
    let listener: Listener
    init(_ watch: LoginWatch, _ listener: @escaping Listener) {
      (self.watch, self.listener) = (watch, listener)
    }
  }

  private func listen(_ interface: String, _ signal: String, _ listener: @escaping Listener) {
    g_dbus_connection_signal_subscribe(
      connection, Self.name, interface, signal, nil, nil, G_DBUS_SIGNAL_FLAGS_NONE,
      { _, _, path, _, _, parameters, data in
        guard let path, let parameters, let data else { return }
        let subscription = Unmanaged<Subscription>.fromOpaque(data).takeUnretainedValue()
        let values = Variant(taking: g_variant_ref(parameters))
        let type = String(cString: g_variant_get_type_string(parameters))
        guard let watch = subscription.watch else { return }
        subscription.listener(watch, String(cString: path), (try? values.parts(type, of: "signal")) ?? [])
      }, Unmanaged.passRetained(Subscription(self, listener)).toOpaque(), nil)
  }

  private func ask(_ path: String, _ interface: String, _ method: String, _ arguments: [OpaquePointer])
    -> Variant?
  {
    g_dbus_connection_call_sync(
      connection, Self.name, path, interface, method, Argument.tuple(arguments), nil,
      G_DBUS_CALL_FLAGS_NO_AUTO_START, 2000, nil, nil
    ).map(Variant.init(taking:))
  }

  /// Whether a session is this user's. One that can't be told is taken for that: to lock once too often harms nobody.
  private func isOwnSession(_ path: String) -> Bool {
    let arguments = [Argument.text("\(Self.name).Session"), Argument.text("User")]
    guard let reply = ask(path, "org.freedesktop.DBus.Properties", "Get", arguments),
      let value = try? reply.parts("(v)", of: "User")[0].content(of: "User"),
      let user = try? value.parts("(uo)", of: "User")[0].number(of: "User")
    else { return true }
    return user == UInt64(geteuid())
  }

  private func hasNoSession() -> Bool {
    guard let reply = ask("/org/freedesktop/login1", Self.manager, "ListSessions", []),
      let sessions = try? reply.parts("(a(susso))", of: "sessions")[0].parts("a(susso)", of: "sessions")
    else { return false }
    return !sessions.contains { session in
      let user = try? session.parts("(susso)", of: "session")[1].number(of: "session")
      return user == UInt64(geteuid())
    }
  }
}
