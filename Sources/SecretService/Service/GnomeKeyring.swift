import Bytes
import Keychain

/// Calls that only gnome-keyring has, for its own programs: unlocking and making collections with a passphrase instead
/// of a prompt, which a session without a display can't show.
struct GnomeKeyring {
  let service: Service
  let session: ServiceSession

  enum Outcome {
    case done
    case wrongPassphrase
    /// The service is not gnome-keyring, or its version doesn't have this call.
    case unknown
  }

  func unlock(_ collection: String, with passphrase: borrowing Secret) throws(BusFailure) -> Outcome {
    try outcome(
      of: service.call(
        "UnlockWithMasterPassword", of: Interface.keyring, Argument.path(collection), session.seal(passphrase)
      ))
  }

  func createCollection(_ label: String, with passphrase: borrowing Secret) throws(BusFailure) -> Outcome {
    try outcome(
      of: service.call(
        "CreateWithMasterPassword", of: Interface.keyring,
        Argument.properties([(Interface.collection + ".Label", Argument.text(label))]),
        session.seal(passphrase)))
  }

  private func outcome(of call: SessionBus.Call) throws(BusFailure) -> Outcome {
    do throws(BusFailure) {
      _ = try service.bus.call(call)
      return .done
    } catch {
      switch error.reason {
      case .refused("org.freedesktop.DBus.Error.UnknownMethod", _),
        .refused("org.freedesktop.DBus.Error.UnknownInterface", _),
        .refused("org.freedesktop.DBus.Error.NotSupported", _),
        .refused("org.freedesktop.DBus.Error.AccessDenied", _):
        return .unknown
      case .refused(let name, let detail)
      where name.hasSuffix(".Denied") || detail.lowercased().hasPart("password"):
        return .wrongPassphrase
      default:
        throw error
      }
    }
  }
}
