import CSecret
import SecretService

struct BusPeer {
  /// A GLib connection, kept alive by the owner of this value.
  let connection: OpaquePointer
  let name: String

  /// Calls a method and waits for the answer. A program that doesn't run is not started.
  ///
  /// - Parameter timeout: in milliseconds.
  func call(
    _ method: String, of interface: String, at path: String, _ arguments: [OpaquePointer] = [],
    timeout: Int32 = 5000
  ) throws(BusFailure) -> Variant {
    var error: UnsafeMutablePointer<GError>?
    let reply = g_dbus_connection_call_sync(
      connection, name, path, interface, method, Argument.tuple(arguments), nil,
      G_DBUS_CALL_FLAGS_NO_AUTO_START, timeout, nil, &error)
    guard let reply else { throw BusFailure(error, call: method, timeout: Int(timeout)) }
    return Variant(taking: reply)
  }

  /// Handles a signal: the path of its object, and its values.
  typealias Listener = (_ path: String, [Variant]) -> Void
  private final class Subscription {
    let listener: Listener
    init(_ listener: @escaping Listener) { self.listener = listener }
  }

  /// Listens for a signal of this program on the main thread, for as long as the process runs. The same signal from
  /// other programs is ignored.
  func listen(to signal: String, of interface: String, at path: String? = nil, _ listener: @escaping Listener)
  {
    g_dbus_connection_signal_subscribe(
      connection, name, interface, signal, path, nil, G_DBUS_SIGNAL_FLAGS_NONE,
      { _, _, path, _, _, parameters, data in
        guard let path, let parameters, let data else { return }
        let subscription = Unmanaged<Subscription>.fromOpaque(data).takeUnretainedValue()
        let values = Variant(taking: g_variant_ref(parameters))
        let type = String(cString: g_variant_get_type_string(parameters))
        subscription.listener(String(cString: path), (try? values.parts(type, of: "signal")) ?? [])
      }, Unmanaged.passRetained(Subscription(listener)).toOpaque(), nil)
  }
}
