import Glibc
import Keychain
import TestSupport

@testable import SecretService

extension SecretServiceKeychain {
  /// Makes an item as another program does, in the collection in use.
  func makeForeignItem(_ attributes: [String: String], label: String, secret: String) throws -> String {
    let session = try openSession()
    let reply = try service.bus.call(
      service.call(
        "CreateItem", of: Interface.collection, at: try collectionForNewItems(),
        Argument.properties([
          (Interface.item + ".Label", Argument.text(label)),
          (Interface.item + ".Attributes", Argument.texts(attributes)),
        ]), session.seal(Secret(secret)), Argument.bool(false)))
    return try reply.checked(as: "(oo)", of: "CreateItem")[0].text
  }

  /// The present state of the item at a path.
  func storedItemNow(at path: String) throws -> StoredItem? { try service.items(at: [path]).first }

  /// The stored form of the secret of the item at a path.
  func storedBody(at path: String) throws -> ByteString? {
    let session = try openSession()
    let reply = try service.bus.call(
      service.call("GetSecret", of: Interface.item, at: path, Argument.path(session.path)))
    return ByteString(try session.open(reply).revealed)
  }

  /// Unlocks with the password of the collection `login`.
  func unlockLogin() throws {
    try unlock(isKnown: true) { $0 == 1 ? Secret(PrivateKeyring.password) : nil }
  }
}

extension Item {
  /// The path of the item.
  var path: String? { reference.map { StoredItem.path(of: $0) } }
}
