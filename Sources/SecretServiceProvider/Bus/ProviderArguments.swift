import CSecret
import Keychain
import SecretService

extension Argument {
  static func time(_ seconds: UInt64) -> OpaquePointer { g_variant_new_uint64(guint64(seconds)) }

  static func attributes(_ attributes: LookupAttributes) -> OpaquePointer {
    array(
      of: "{ss}",
      attributes.all.map {
        g_variant_new_dict_entry(text($0.name.description), text($0.value.description))
      })
  }

  static func secrets(_ secrets: [(path: String, secret: OpaquePointer)]) -> OpaquePointer {
    array(of: "{o(oayays)}", secrets.map { g_variant_new_dict_entry(path($0.path), $0.secret) })
  }

  /// Texts, one after the other.
  static func list(_ texts: [String]) -> OpaquePointer { array(of: "s", texts.map(text)) }
}
