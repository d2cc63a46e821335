import Bytes
import CLinux
import Glibc
package import Keychain

/// The address of the session bus (D-Bus Specification, "Server Addresses").
package struct BusAddress {
  package let text: String
  /// Whether the address was given or comes from the environment; otherwise it is the usual one.
  let isFromEnvironment: Bool

  /// The given address, else the one in DBUS_SESSION_BUS_ADDRESS, else `/run/user/UID/bus`, where systemd puts it.
  ///
  /// - Throws: ``KeychainError/unavailable(reason:)`` if there is none.
  package static func find(_ given: String? = nil) throws(KeychainError) -> BusAddress {
    if let text = given ?? getenv("DBUS_SESSION_BUS_ADDRESS").map({ String(cString: $0) }), !text.isEmpty {
      return BusAddress(text: text, isFromEnvironment: true)
    }
    let usual = "/run/user/\(geteuid())/bus"
    var status = stat()
    guard stat(usual, &status) == 0, status.st_uid == geteuid() else {
      throw .unavailable(
        reason: KeychainError.noSessionBus + ": DBUS_SESSION_BUS_ADDRESS is not set, and there is no \(usual)"
      )
    }
    return BusAddress(text: "unix:path=" + usual, isFromEnvironment: false)
  }

  enum Socket {
    case path(String)
    /// A name in Linux's abstract namespace.
    case abstract(String)

    /// The owner of its file; `nil` if it has none.
    func owner() -> Int? {
      var status = stat()
      guard case .path(let path) = self, stat(path, &status) == 0 else { return nil }
      return Int(status.st_uid)
    }

    /// Connects, waiting while the bus has a full queue. Returns a descriptor, or -1 with `errno` set.
    ///
    /// - Parameter patience: how long to wait, in milliseconds.
    func connect(patience: Int) -> Int32 {
      switch self {
      case .path(let name): clinux_connect_unix(name, name.utf8.count, false, Int32(clamping: patience))
      case .abstract(let name): clinux_connect_unix(name, name.utf8.count, true, Int32(clamping: patience))
      }
    }
  }

  /// The unix sockets among the alternatives in the address. Session buses have no others.
  var sockets: [Socket] {
    text.split(separator: ";").compactMap { alternative in
      guard alternative.hasPrefix("unix:") else { return nil }
      for pair in alternative.dropFirst(5).split(separator: ",") {
        if pair.hasPrefix("path="), let path = Self.unescaped(pair.dropFirst(5)) { return .path(path) }
        if pair.hasPrefix("abstract="), let name = Self.unescaped(pair.dropFirst(9)) {
          return .abstract(name)
        }
      }
      return nil
    }
  }

  /// The value with each `%XX` decoded; `nil` if one is cut short, or if the result can't be a name.
  private static func unescaped(_ value: Substring) -> String? {
    guard let bytes = PercentEncoding.decoded(value.utf8) else { return nil }
    return bytes.isEmpty || bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
  }
}
