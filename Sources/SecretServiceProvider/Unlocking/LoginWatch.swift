import CSecret
import Glibc
import SecretService

/// The events from logind that lock a keychain: the machine is about to sleep, a session of this user is locked, or the
/// last of them has ended (org.freedesktop.login1(5)).
final class LoginWatch {
  private static let name = "org.freedesktop.login1"
  private static let manager = "\(name).Manager"
  /// How long logind may take to answer, in milliseconds.
  private static let patience: Int32 = 2000
  private let logind: BusPeer
  private let onLock: () -> Void

  /// - Parameter onLock: called on the main thread.
  /// - Returns: `nil` without a system bus.
  init?(onLock: @escaping () -> Void) {
    var error: UnsafeMutablePointer<GError>?
    guard let connection = g_bus_get_sync(G_BUS_TYPE_SYSTEM, nil, &error) else {
      g_clear_error(&error)
      return nil
    }
    // The service outlives the system bus.
    g_dbus_connection_set_exit_on_close(connection, 0)
    logind = BusPeer(connection: connection, name: Self.name)
    self.onLock = onLock
    logind.listen(to: "PrepareForSleep", of: Self.manager) { [weak self] _, values in
      if (try? values.first?.bool(of: "PrepareForSleep")) == true { self?.onLock() }
    }
    logind.listen(to: "Lock", of: "\(Self.name).Session") { [weak self] path, _ in
      if let self, isOwnSession(path) { self.onLock() }
    }
    logind.listen(to: "SessionRemoved", of: Self.manager) { [weak self] _, _ in
      if let self, hasNoSession() { self.onLock() }
    }
  }

  /// Whether a session is this user's. If unknown, it counts as such: locking once too often does no harm.
  private func isOwnSession(_ path: String) -> Bool {
    let arguments = [Argument.text("\(Self.name).Session"), Argument.text("User")]
    let reply = try? logind.call(
      "Get", of: "org.freedesktop.DBus.Properties", at: path, arguments, timeout: Self.patience)
    guard let reply,
      let value = try? reply.parts("(v)", of: "User")[0].content(of: "User"),
      let user = try? value.parts("(uo)", of: "User")[0].number(of: "User")
    else { return true }
    return user == UInt64(geteuid())
  }

  private func hasNoSession() -> Bool {
    let reply = try? logind.call(
      "ListSessions", of: Self.manager, at: "/org/freedesktop/login1", timeout: Self.patience)
    guard let reply,
      let sessions = try? reply.parts("(a(susso))", of: "sessions")[0].parts("a(susso)", of: "sessions")
    else { return false }
    return !sessions.contains { session in
      let user = try? session.parts("(susso)", of: "session")[1].number(of: "session")
      return user == UInt64(geteuid())
    }
  }
}
