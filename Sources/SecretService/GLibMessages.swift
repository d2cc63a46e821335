import CSecret
import Glibc

/// Keeps GLib and libsecret from writing to standard output and error, which belong to the program's own protocol and
/// messages: their errors arrive as errors. Affects the whole process, so it is for executables.
public func discardGLibMessages() {
  // Prints each message of the bus with all that is in it, to standard output.
  unsetenv("G_DBUS_DEBUG")
  g_log_set_writer_func({ _, _, _, _ in G_LOG_WRITER_HANDLED }, nil, nil)
}
