import CSecret

/// A GLib main context, in which asynchronous calls report to the thread that runs it.
final class MainContext {
  private let context: OpaquePointer = g_main_context_new()

  deinit { g_main_context_unref(context) }

  /// Runs `body`, whose asynchronous calls will report in this context.
  func calling<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    g_main_context_push_thread_default(context)
    defer { g_main_context_pop_thread_default(context) }
    return try body()
  }

  /// Runs the context until `isDone`, or for this long. Returns whether it is done.
  func run(milliseconds: Int, until isDone: () -> Bool) -> Bool {
    let alarm = g_timeout_source_new(guint(max(0, milliseconds)))
    var hasRung = false
    attach(alarm, to: context) {
      hasRung = true
      return true
    }
    defer { g_source_destroy(alarm) }
    run { isDone() || hasRung }
    return isDone()
  }

  /// Makes the context's thread check again whether it is done. May be called on any thread.
  func wakeUp() { g_main_context_wakeup(context) }

  /// Runs the context until `isDone`. Calls have time limits of their own.
  func run(until isDone: () -> Bool) {
    calling { while !isDone() { g_main_context_iteration(context, 1) } }
  }
}

/// The outcome of an asynchronous GLib call.
final class AsyncOutcome {
  private(set) var result: OpaquePointer?

  var isDone: Bool { result != nil }

  deinit {
    if let result { csecret_unref(UnsafeMutableRawPointer(result)) }
  }

  /// The argument `user_data` of a call with ``callback``. The call holds the object until it reports.
  var data: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

  static let callback: GAsyncReadyCallback = { _, result, data in
    guard let result, let data else { return }
    let outcome = Unmanaged<AsyncOutcome>.fromOpaque(data).takeRetainedValue()
    g_object_ref(UnsafeMutableRawPointer(result))
    outcome.result = result
  }
}
