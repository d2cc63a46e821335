package import CSecret

/// A program on a bus.
package struct BusPeer {
  /// A GLib connection, kept alive by the owner of this value.
  private let connection: OpaquePointer
  /// Its name; `nil` for all programs, which can only be listened to.
  private let name: String?

  package init(_ name: String?, on connection: OpaquePointer) {
    (self.name, self.connection) = (name, connection)
  }

  /// A program on one of GLib's own connections, which last as long as the process; `nil` without such a bus.
  package init?(_ name: String?, on kind: GBusType) {
    guard let connection = g_bus_get_sync(kind, nil, nil) else { return nil }
    // The process outlives the bus.
    g_dbus_connection_set_exit_on_close(connection, 0)
    self.init(name, on: connection)
  }

  /// Calls a method and waits for the answer. A program that doesn't run is not started.
  ///
  /// - Parameter timeout: in milliseconds.
  package func call(
    _ method: String, of interface: String, at path: String, _ arguments: [OpaquePointer] = [],
    timeout: Int = 5000
  ) throws(BusFailure) -> Variant {
    var error: UnsafeMutablePointer<GError>?
    let reply = g_dbus_connection_call_sync(
      connection, name, path, interface, method, Argument.tuple(arguments), nil,
      G_DBUS_CALL_FLAGS_NO_AUTO_START, Int32(timeout), nil, &error)
    guard let reply else { throw BusFailure(error, call: method, timeout: timeout) }
    return Variant(taking: reply)
  }

  /// Listens for signals of this program, in the context of this thread. The same signals from other programs are
  /// ignored.
  ///
  /// - Parameter member: the signal's name; `nil` for all of the interface.
  /// - Returns: GLib's number, to end it.
  @discardableResult
  package func listen(
    to member: String?, of interface: String? = nil, at path: String? = nil,
    _ listener: @escaping (BusSignal) -> Void
  ) -> UInt32 {
    g_dbus_connection_signal_subscribe(
      connection, name, interface, member, path, nil, G_DBUS_SIGNAL_FLAGS_NONE,
      { _, sender, path, interface, member, parameters, data in
        guard let path, let interface, let member, let parameters, let data else { return }
        Held<(BusSignal) -> Void>.value(in: data)(
          BusSignal(
            sender: sender.map { String(cString: $0) } ?? "", path: String(cString: path),
            interface: String(cString: interface), member: String(cString: member),
            parameters: Variant(taking: g_variant_ref(parameters))))
      }, Held.data(listener), releaseHeld)
  }
}

package struct BusSignal {
  package let sender: String
  package let path: String
  package let interface: String
  package let member: String
  package let parameters: Variant

  /// Its parameters, if they have these types together; `nil` if not.
  package func parameters(_ type: String) -> TypedVariant? { try? parameters.checked(as: type, of: member) }
}
