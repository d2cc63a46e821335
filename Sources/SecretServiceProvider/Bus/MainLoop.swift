import CSecret
import Glibc

/// GLib's main context; all callbacks run on the thread that runs it.
enum MainLoop {
  /// A job, which GLib holds as long as it may run it.
  private final class Job {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  /// Runs `job` on the main thread, after everything that was posted before. May be called on any thread.
  static func post(_ job: @escaping @Sendable () -> Void) {
    add(g_idle_source_new(), Job(job)) { data in
      MainLoop.run(data)
      return 0
    }
  }

  /// Runs `job` every `milliseconds`, until the process ends.
  static func every(milliseconds: Int, _ job: @escaping () -> Void) {
    add(g_timeout_source_new(guint(milliseconds)), Job(job)) { data in
      MainLoop.run(data)
      return 1
    }
  }

  /// Runs `job` whenever the process gets the signal.
  static func onSignal(_ number: Int32, _ job: @escaping () -> Void) {
    add(g_unix_signal_source_new(number), Job(job)) { data in
      MainLoop.run(data)
      return 1
    }
  }

  /// Runs `job` on the main thread until `isOver` says that the loop is over.
  static func run(until isOver: () -> Bool) {
    while !isOver() { g_main_context_iteration(nil, 1) }
  }

  private static func run(_ data: gpointer?) {
    if let data { Unmanaged<Job>.fromOpaque(data).takeUnretainedValue().run() }
  }

  private static func add(
    _ source: UnsafeMutablePointer<GSource>?, _ job: Job, _ callback: @escaping GSourceFunc
  ) {
    g_source_set_priority(source, G_PRIORITY_DEFAULT)
    g_source_set_callback(
      source, callback, Unmanaged.passRetained(job).toOpaque(),
      { data in if let data { Unmanaged<Job>.fromOpaque(data).release() } })
    g_source_attach(source, nil)
    g_source_unref(source)
  }
}
