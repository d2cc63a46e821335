import CSecret
import Glibc

/// Prepares a process for the Secret Service. This affects the whole process, so it is for executables, before anything
/// else runs.
///
/// It keeps GLib and libsecret from writing to standard output and error, which belong to the program's own protocol
/// and messages: their errors are reported as errors. It makes their threads share one heap, because they take turns.
public func prepareProcess() {
  // It would print each bus message with its contents to standard output.
  unsetenv("G_DBUS_DEBUG")
  g_log_set_writer_func({ _, _, _, _ in G_LOG_WRITER_HANDLED }, nil, nil)
  csecret_use_one_heap()
}
