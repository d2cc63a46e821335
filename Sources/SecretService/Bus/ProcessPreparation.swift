import CSecret
import Glibc

/// Prepares a process for the Secret Service. Affects all of it, so it is for executables, before anything else runs.
///
/// GLib and libsecret write nothing to standard output and error any more, which belong to the program's own protocol
/// and messages: their errors arrive as errors. Their threads share one heap, for they take turns.
public func prepareProcess() {
  // Prints each message of the bus with all that is in it, to standard output.
  unsetenv("G_DBUS_DEBUG")
  g_log_set_writer_func({ _, _, _, _ in G_LOG_WRITER_HANDLED }, nil, nil)
  csecret_use_one_heap()
}
