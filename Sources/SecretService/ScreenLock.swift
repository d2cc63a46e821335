import CSecret
import Glibc

/// The lock of the desktop's screen: the signal `ActiveChanged` of screen savers on the session bus (the interfaces of
/// freedesktop.org, GNOME, MATE and others have it in the same form), and logind's signal `Lock` and property
/// `LockedHint` of sessions on the system bus (org.freedesktop.login1).
package enum ScreenLock {
  /// Prints a line whenever a screen is locked, until standard input ends, and ends the process. Without any bus it
  /// ends at once.
  package static func watch() -> Never {
    let name = "org.freedesktop.login1"
    let (session, logind) = (BusPeer(nil, on: G_BUS_TYPE_SESSION), BusPeer(name, on: G_BUS_TYPE_SYSTEM))
    if session == nil, logind == nil { exit(0) }
    session?.listen(to: "ActiveChanged") { signal in
      if signal.interface.hasSuffix("ScreenSaver"), signal.parameters("(b)")?[0].bool == true { report() }
    }
    logind?.listen(to: "Lock", of: "\(name).Session") { _ in report() }
    logind?.listen(to: "PropertiesChanged", of: Interface.properties) { signal in
      let hint = signal.parameters("(sa{sv}as)")?[1].optionalProperty("LockedHint")
      if (try? hint?.bool(of: "LockedHint")) == true { report() }
    }
    let input = g_io_channel_unix_new(0)
    g_io_add_watch(input, GIOCondition(G_IO_IN.rawValue | G_IO_HUP.rawValue), { _, _, _ in exit(0) }, nil)
    while true { g_main_context_iteration(nil, 1) }
  }

  private static func report() { _ = write(1, "locked\n", 7) }
}
