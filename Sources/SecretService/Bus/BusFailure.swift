import Bytes
package import CSecret
import Keychain

/// Why a call on the bus failed.
package struct BusFailure: Error {
  package let call: String
  package let reason: Reason

  package enum Reason: Sendable {
    /// No reply came in time.
    case noAnswer(milliseconds: Int)
    /// The other side replied with an error of this name.
    case refused(name: String, detail: String)
    /// The bus itself can't be used.
    case broken(detail: String)
    case malformed(detail: String)
    /// A secret was not encrypted with the session's key.
    case undecipherable
    /// There is no connection to a bus, or no service on it.
    case absent(detail: String)
  }

  package init(_ error: UnsafeMutablePointer<GError>?, call: String, timeout: Int) {
    self.call = call
    guard let error else {
      reason = .broken(detail: "an unknown error")
      return
    }
    defer { g_error_free(error) }
    if csecret_is_io_error(error, Int32(G_IO_ERROR_TIMED_OUT.rawValue)) != 0 {
      reason = .noAnswer(milliseconds: timeout)
      return
    }
    if let name = csecret_error_name(error) {
      defer { g_free(name) }
      _ = g_dbus_error_strip_remote_error(error)
      reason = .refused(name: String(cString: name), detail: Self.text(error))
    } else {
      reason = .broken(detail: Self.text(error))
    }
  }

  package init(call: String, _ reason: Reason) {
    self.call = call
    self.reason = reason
  }

  private static func text(_ error: UnsafeMutablePointer<GError>) -> String {
    var text = String(cString: error.pointee.message)
    // GLib's quotation marks depend on the translation.
    for quote in ["\u{201c}", "\u{201d}", "\u{2018}", "\u{2019}"] {
      text = text.replacingPart(quote, with: "'")
    }
    while text.last == "." { text.removeLast() }
    // The text comes from another program.
    return text.count > 300 ? text.prefix(300) + "…" : text
  }

  /// The name of the other side's error, without the beginning that D-Bus's own have; `nil` for another failure.
  private var name: String? {
    guard case .refused(let name, _) = reason else { return nil }
    let own = "org.freedesktop.DBus.Error."
    return name.hasPrefix(own) ? String(name.dropFirst(own.count)) : name
  }

  /// Whether the called object doesn't exist (any more).
  var isAboutMissingObject: Bool {
    let names = [
      "org.freedesktop.Secret.Error.NoSuchObject", "UnknownObject", "UnknownMethod", "UnknownInterface",
    ]
    return name.map(names.contains) ?? false && !isAboutSession
  }

  /// Whether the called program left the bus, before or after the call arrived.
  var isAboutAbsence: Bool { name.map(["ServiceUnknown", "NameHasNoOwner", "NoReply"].contains) ?? false }

  /// Whether nobody owns the called name, and no program could be started for it.
  var isAboutMissingService: Bool {
    name.map { ["ServiceUnknown", "NameHasNoOwner"].contains($0) || $0.hasPrefix("Spawn.") } ?? false
  }

  /// The same failure in plain words.
  var asAbsence: BusFailure {
    guard case .refused(let name, let detail) = reason else { return self }
    let what =
      name.hasPart(".Spawn.")
      ? "the Secret Service can't be started: \(detail)" : "no Secret Service is on the session bus"
    return BusFailure(call: call, .absent(detail: "\(what) (\(name))"))
  }

  static let isLocked = "org.freedesktop.Secret.Error.IsLocked"

  var isAboutLock: Bool { name == Self.isLocked }

  /// Whether this session can't exchange secrets, but another one perhaps can.
  var isAboutSession: Bool {
    switch reason {
    case .undecipherable, .refused("org.freedesktop.Secret.Error.NoSession", _): true
    case .refused("org.freedesktop.DBus.Error.InvalidArgs", _): call == "OpenSession"
    // KWallet says this of its own session if it can't decrypt a secret.
    case .refused(_, let detail): detail.hasPrefix("Can't find session")
    default: false
    }
  }

  /// The same failure for a change: the service is usable, but hasn't made it.
  var asRefusal: BusFailure {
    guard case .malformed(let detail) = reason else { return self }
    return BusFailure(
      call: call, .refused(name: "", detail: "the answer has an unexpected form: \(detail)"))
  }

  var keychainError: KeychainError {
    switch reason {
    case .noAnswer(let milliseconds): .noAnswer(call: call, milliseconds: milliseconds)
    case .refused(let name, let detail): .refused(call: call, error: name, detail: detail)
    case .broken(let detail): .unavailable(reason: "the session bus failed at \(call): \(detail)")
    case .malformed(let detail):
      .unavailable(reason: "the Secret Service answered in an unexpected form: \(detail)")
    case .undecipherable:
      .unavailable(reason: "the Secret Service has sent a secret that can't be decrypted")
    case .absent(let detail): .unavailable(reason: detail)
    }
  }
}

/// Turns a call's failure into an error for users of the keychain.
func reporting<Result: ~Copyable>(
  _ call: @autoclosure () throws(BusFailure) -> Result
) throws(KeychainError) -> Result {
  do { return try call() } catch { throw error.keychainError }
}

func reporting<Result: ~Copyable>(_ body: () throws(BusFailure) -> Result) throws(KeychainError) -> Result {
  do { return try body() } catch { throw error.keychainError }
}

/// Turns an unreadable answer to a change into a refusal: it wasn't made.
func refusing<Result: ~Copyable>(
  _ reading: @autoclosure () throws(BusFailure) -> Result
) throws(BusFailure) -> Result {
  do { return try reading() } catch { throw error.asRefusal }
}
