import CSecret
import SecretService

/// GLib's main context; all callbacks run on the thread that runs it.
enum MainLoop {
  /// Runs `job` on the main thread, after everything that was posted before. May be called on any thread.
  static func post(_ job: @escaping @Sendable () -> Void) {
    attach(g_idle_source_new()) {
      job()
      return false
    }
  }

  /// Runs `job` every `milliseconds`, until the process ends.
  static func every(milliseconds: Int, _ job: @escaping () -> Void) {
    attach(g_timeout_source_new(guint(milliseconds))) {
      job()
      return true
    }
  }

  /// Runs `job` whenever the process gets the signal.
  static func onSignal(_ number: Int32, _ job: @escaping () -> Void) {
    attach(g_unix_signal_source_new(number)) {
      job()
      return true
    }
  }

  /// Runs `job` on the main thread until `isOver` says that the loop is over.
  static func run(until isOver: () -> Bool) {
    while !isOver() { g_main_context_iteration(nil, 1) }
  }
}
