package import Bytes
import Keychain

package enum BusName {
  package static let service = "org.freedesktop.secrets"
  /// llavero's additional name, by which it recognizes its own service and never asks itself.
  package static let own = "org.llavero.SecretService"
  /// A further one if it serves the keychain that is forwarded to this machine.
  package static let forwarded = own + ".Forwarded"
  /// The bus itself.
  package static let bus = "org.freedesktop.DBus"
}

/// The collections that programs know by their names from gnome-keyring.
package enum CollectionName {
  /// That of people's and tools' items.
  package static let login: ByteString = "login"
  /// That in memory, which ends with the service.
  package static let session: ByteString = "session"
}

/// The names of the Secret Service's interfaces (Secret Service draft 0.2), and of those beside them.
package enum Interface {
  package static let service = "org.freedesktop.Secret.Service"
  package static let collection = "org.freedesktop.Secret.Collection"
  package static let item = "org.freedesktop.Secret.Item"
  package static let session = "org.freedesktop.Secret.Session"
  package static let prompt = "org.freedesktop.Secret.Prompt"
  /// gnome-keyring's, to unlock without a display.
  package static let keyring = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"
  package static let own = BusName.own
  package static let properties = "org.freedesktop.DBus.Properties"
  package static let peer = "org.freedesktop.DBus.Peer"
  package static let introspectable = "org.freedesktop.DBus.Introspectable"
  /// D-Bus's own, without properties.
  package static let ofEveryObject = [properties, introspectable, peer]
  package static let bus = BusName.bus
  /// Called by the portal for sandboxed programs.
  package static let portal = "org.freedesktop.impl.portal.Secret"
  package static let portalRequest = "org.freedesktop.impl.portal.Request"
}

/// The object paths of the Secret Service (Secret Service draft 0.2, chapter 12).
package enum ObjectPath {
  package static let service = "/org/freedesktop/secrets"
  package static let bus = "/org/freedesktop/DBus"
  /// The placeholder for no object.
  package static let none = "/"
  /// What begins an escape in a name.
  package static let escapeMark = UInt8(ascii: "_")

  /// The name that part of a path stands for: `_` and two hexadecimal digits are a byte other than a letter or digit.
  static func name(_ part: some StringProtocol) -> ByteString {
    ByteString(PercentEncoding.decodedEscapes(in: part.utf8, mark: escapeMark))
  }
}
