import CLinux
import Glibc

/// Settings that this program changes for its own process, and restores before it becomes another program.
package enum ProcessSettings {
  // Set once, before anything else runs.
  nonisolated(unsafe) private static var callersMask: mode_t = 0
  nonisolated(unsafe) private static var callersHandler: __sighandler_t?

  /// Keeps other users from inspecting the process and the files that it creates.
  package static func make() {
    callersMask = umask(0o077)
    clinux_refuse_inspection()
    // Exceeding the file size limit becomes an error that is reported, instead of a fatal signal.
    callersHandler = signal(SIGXFSZ, SIG_IGN)
  }

  /// Restores the inherited settings. The kernel allows inspection again when the process executes another program.
  package static func takeBack() {
    umask(callersMask)
    clinux_restore_core_limit()
    signal(SIGXFSZ, callersHandler)
  }
}
