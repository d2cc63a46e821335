import Bytes
import Foundation
import Keychain

extension ItemRequest {
  /// The item to add.
  ///
  /// - Throws: `errSecDecode` for a certificate whose issuer and serial number are neither in the attributes nor in its
  ///   data.
  func newItem(_ itemClass: ItemClass) throws(StatusError) -> Item {
    var item = Item(Item.Key(emptyOf: itemClass))
    if itemClass == .certificate {
      let fields = certificate?.fields ?? CertificateFields(secretBytes)
      if fields == nil, !Self.certificateKey.allSatisfy({ attributes[$0] != nil }) {
        throw StatusError(errSecDecode)
      }
      for (attribute, bytes) in fields?.attributes ?? [:] { item.set(attribute, to: bytes) }
    }
    for (attribute, bytes) in attributes { item.set(attribute, to: bytes) }
    return item
  }

  var newCredential: Credential { Credential(Secret(copying: certificate?.data ?? secret ?? Data())) }

  private var secretBytes: [UInt8] { [UInt8](secret ?? Data()) }

  private static let certificateKey = ["issr", "slnr"].map(ItemAttribute.known)
}

extension Secret {
  init(copying data: Data) {
    self.init(capacity: data.count)
    for region in data.regions { region.withUnsafeBytes { append($0) } }
  }
}
