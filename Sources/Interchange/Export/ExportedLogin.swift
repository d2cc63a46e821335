import Bytes
import CredentialProtocols
import Keychain

/// What password managers have room for, of an item.
struct ExportedLogin: ~Copyable {
  /// Its name for people, which is the service of a generic password where there is no other place for that.
  let name: ByteString
  /// The address; for a generic password one that is no server's, or empty.
  let url: ByteString
  let account: ByteString
  let comment: ByteString
  let secret: Secret
  /// What one-time codes are made of, as a URL; empty if there is nothing.
  let code: Secret
  /// The names under which it is filed.
  let tags: [ByteString]

  /// Takes its fields of an item.
  ///
  /// - Parameter hasOwnFields: whether the format has a place for the service beside the name.
  /// - Returns: an omission if a password manager's file has no place for the item. A tool's own login would answer
  ///   everybody when it comes back, and a ready-made credential is no password.
  static func taking(
    _ item: Item, _ credential: borrowing Credential, _ fields: inout ExportedFields, hasOwnFields: Bool
  ) -> Result {
    let url: ByteString
    var name = ByteString(item.name)
    switch item.key {
    case .internetPassword(let key):
      guard key.isForEverybody, !key.protocol.isEmpty, let address = key.url() else {
        return .omitted(.otherKind)
      }
      fields.take(all: "protocol", "server", "port", "path", "label")
      url = ByteString(address)
    case .genericPassword(let key):
      // A server's would make it that server's login when it comes back.
      let addresses = item.addresses
      url = addresses.first { !$0.isAddressOfServer } ?? ""
      if addresses == [url] { fields.take("addr") }
      if hasOwnFields {
        fields.take("label")
      } else {
        // Its service finds it again, and people see it there.
        if item.label == key.service { fields.take("label") }
        name = key.service
        fields.take("service")
      }
    case .cryptographic, .secretService: return .omitted(.otherKind)
    }
    guard credential.authenticationScheme == nil else { return .omitted(.otherKind) }
    guard credential.secret.withUnsafeBytes({ isValidUTF8($0) && !$0.contains(0) }) else {
      return .omitted(.unspeakable)
    }
    var code = Secret()
    switch credential.further.oneTimeCode {
    case .none: break
    case .some(let url):
      fields.take("one-time code")
      code = url.copy()
    }
    fields.take("tags")
    return .login(
      ExportedLogin(
        name: name, url: url, account: fields.take("account") ?? "", comment: fields.take("comment") ?? "",
        secret: credential.secret.copy(), code: code, tags: item.tags))
  }

  /// A login, or why there is none.
  enum Result: ~Copyable {
    case login(ExportedLogin)
    case omitted(ExportFormat.Omission)
  }
}
