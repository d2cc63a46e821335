package import CSecret

/// A Swift value that GLib holds as `user_data`.
package final class Held<Value> {
  private let value: Value

  private init(_ value: Value) { self.value = value }

  /// A new `user_data`, which ``releaseHeld`` or ``taken(from:)`` releases.
  package static func data(_ value: Value) -> gpointer { Unmanaged.passRetained(Held(value)).toOpaque() }

  package static func value(in data: gpointer) -> Value {
    Unmanaged<Held>.fromOpaque(data).takeUnretainedValue().value
  }

  /// The value, whose `user_data` is used for the last time.
  package static func taken(from data: gpointer) -> Value {
    Unmanaged<Held>.fromOpaque(data).takeRetainedValue().value
  }
}

/// Releases any ``Held``.
package func releaseHeld(_ data: gpointer?) {
  if let data { Unmanaged<AnyObject>.fromOpaque(data).release() }
}

/// Runs `job` whenever a source is ready, until it returns false.
///
/// - Parameter context: `nil` for that of the main thread.
package func attach(
  _ source: UnsafeMutablePointer<GSource>?, to context: OpaquePointer? = nil, _ job: @escaping () -> Bool
) {
  g_source_set_priority(source, G_PRIORITY_DEFAULT)
  g_source_set_callback(
    source, { data in data.map { Held<() -> Bool>.value(in: $0)() } ?? false ? 1 : 0 },
    Held<() -> Bool>.data(job), releaseHeld)
  g_source_attach(source, context)
  g_source_unref(source)
}
