import CSecret
import Glibc
import SecretService

/// The events from logind that lock a keychain: the machine is about to sleep, a session of this user is locked, or the
/// last of them has ended (org.freedesktop.login1(5)).
final class LoginWatch {
  private static let name = "org.freedesktop.login1"
  private static let manager = "\(name).Manager"
  /// How long logind may take to answer, in milliseconds.
  private static let patience = 2000
  private let logind: BusPeer
  private let onLock: () -> Void

  /// - Parameter onLock: called on the main thread.
  /// - Returns: `nil` without a system bus.
  init?(onLock: @escaping () -> Void) {
    guard let logind = BusPeer(Self.name, on: G_BUS_TYPE_SYSTEM) else { return nil }
    (self.logind, self.onLock) = (logind, onLock)
    logind.listen(to: "PrepareForSleep", of: Self.manager) { [weak self] signal in
      if signal.parameters("(b)")?[0].bool == true { self?.onLock() }
    }
    logind.listen(to: "Lock", of: "\(Self.name).Session") { [weak self] signal in
      if let self, isOwnSession(signal.path) { self.onLock() }
    }
    logind.listen(to: "SessionRemoved", of: Self.manager) { [weak self] _ in
      if let self, hasNoSession() { self.onLock() }
    }
  }

  /// Whether a session is this user's. If unknown, it counts as such: locking once too often does no harm.
  private func isOwnSession(_ path: String) -> Bool {
    let arguments = [Argument.text("\(Self.name).Session"), Argument.text("User")]
    let reply = try? logind.call(
      "Get", of: Interface.properties, at: path, arguments, timeout: Self.patience)
    let value = (try? reply?.checked(as: "(v)", of: "User"))?[0].content
    guard let user = try? value?.checked(as: "(uo)", of: "User") else { return true }
    return user[0].number == UInt64(geteuid())
  }

  private func hasNoSession() -> Bool {
    let reply = try? logind.call(
      "ListSessions", of: Self.manager, at: "/org/freedesktop/login1", timeout: Self.patience)
    guard let sessions = try? reply?.checked(as: "(a(susso))", of: "sessions") else { return false }
    return !sessions[0].parts.contains { $0[1].number == UInt64(geteuid()) }
  }
}
