import CSecret
import Glibc

/// The lock of the desktop's screen: the signal `ActiveChanged` of screen savers on the session bus (the interfaces of
/// freedesktop.org, GNOME, MATE and others have it in the same form), and logind's signal `Lock` and property
/// `LockedHint` of sessions on the system bus (org.freedesktop.login1).
package enum ScreenLock {
  /// Prints a line whenever a screen is locked, until standard input ends, and ends the process. Without any bus it
  /// ends at once.
  package static func watch() -> Never {
    let session = subscribe(G_BUS_TYPE_SESSION, nil, nil, "ActiveChanged") {
      _, _, _, interface, _, values, _ in
      guard let interface, let values, String(cString: interface).hasSuffix("ScreenSaver"),
        csecret_is(values, "(b)") != 0
      else { return }
      ScreenLock.report(g_variant_get_child_value(values, 0))
    }
    let login = "org.freedesktop.login1"
    let system = subscribe(G_BUS_TYPE_SYSTEM, login, "\(login).Session", "Lock") { _, _, _, _, _, _, _ in
      ScreenLock.report()
    }
    _ = subscribe(G_BUS_TYPE_SYSTEM, login, "org.freedesktop.DBus.Properties", "PropertiesChanged") {
      _, _, _, _, _, values, _ in
      guard let values, csecret_is(values, "(sa{sv}as)") != 0 else { return }
      let properties = g_variant_get_child_value(values, 1)
      if let properties, let hint = g_variant_lookup_value(properties, "LockedHint", nil) {
        ScreenLock.report(hint)
      }
      properties.map { g_variant_unref($0) }
    }
    guard session || system else { exit(0) }
    let input = g_io_channel_unix_new(0)
    g_io_add_watch(input, GIOCondition(G_IO_IN.rawValue | G_IO_HUP.rawValue), { _, _, _ in exit(0) }, nil)
    while true { g_main_context_iteration(nil, 1) }
  }

  /// Asks a bus for a signal. Returns false if there is no such bus.
  private static func subscribe(
    _ kind: GBusType, _ sender: String?, _ interface: String?, _ member: String,
    _ callback: @escaping GDBusSignalCallback
  ) -> Bool {
    var error: UnsafeMutablePointer<GError>?
    guard let connection = g_bus_get_sync(kind, nil, &error) else {
      g_clear_error(&error)
      return false
    }
    g_dbus_connection_set_exit_on_close(connection, 0)
    // The connection is GLib's own for the bus, and lasts as long as the process.
    g_dbus_connection_signal_subscribe(
      connection, sender, interface, member, nil, nil, G_DBUS_SIGNAL_FLAGS_NONE, callback, nil, nil)
    return true
  }

  /// Takes a reference to a value that says whether the screen is locked.
  private static func report(_ isLocked: OpaquePointer) {
    if csecret_is(isLocked, "b") != 0, g_variant_get_boolean(isLocked) != 0 { report() }
    g_variant_unref(isLocked)
  }

  private static func report() { _ = write(1, "locked\n", 7) }
}
