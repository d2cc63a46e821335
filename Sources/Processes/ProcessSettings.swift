import CLinux
import Glibc

/// What this program changes about its process for its own sake, and takes back before it becomes another program.
package enum ProcessSettings {
  // Set once, before anything else runs.
  nonisolated(unsafe) private static var callersMask: mode_t = 0
  nonisolated(unsafe) private static var callersHandler: __sighandler_t?

  /// Lets nobody else look at the process and at the files that it makes.
  package static func make() {
    callersMask = umask(0o077)
    clinux_refuse_inspection()
    // A file that may not grow is an error that is told, not a death.
    callersHandler = signal(SIGXFSZ, SIG_IGN)
  }

  /// Makes the process as it was given to this program. The kernel lets it be looked at again when it executes another.
  package static func takeBack() {
    umask(callersMask)
    clinux_restore_core_limit()
    signal(SIGXFSZ, callersHandler)
  }
}
