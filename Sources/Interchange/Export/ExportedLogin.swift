import Bytes
import CredentialProtocols
import Keychain

/// The parts of an item that password managers have room for.
struct ExportedLogin: ~Copyable {
  /// Its name for people: the service of a generic password, if there is no other place for that.
  let name: ByteString
  /// The address; for a generic password one that is no server's, or empty.
  let url: ByteString
  let account: ByteString
  let comment: ByteString
  let secret: Secret
  /// The secret of one-time codes, as a URL; empty if there is none.
  let code: Secret
  let tags: [ByteString]

  /// How much of an item's place survives a format.
  enum Places {
    /// All of it, in fields of our own beside the URL.
    case whole
    /// The contents of a URL.
    case urls
    /// The server of a URL. Its path is that of a page.
    case servers
  }

  /// Takes its fields from an item.
  ///
  /// - Parameter places: how much of its place survives.
  /// - Throws: an omission if a password manager's file has no place for the item. A tool's own login would answer
  ///   everybody after coming back, and a ready-made credential is no password.
  static func taking(
    _ item: Item, _ credential: borrowing Credential, _ fields: inout ExportedFields, _ places: Places
  ) throws(ExportFormat.Omission) -> ExportedLogin {
    let url: ByteString
    var name = ByteString(item.name)
    switch item.key {
    case .internetPassword(let key):
      guard key.isForEverybody, !key.protocol.isEmpty, let address = key.url() else {
        throw .otherKind
      }
      url = ByteString(address)
      fields.take(all: "server", "port", "label")
      if places == .whole || key.hasServer(of: url) { fields.take("protocol") }
      if places == .whole || places == .urls && key.hasPath(of: url) { fields.take("path") }
    case .genericPassword(let key):
      // A server's address would make it that server's login after coming back.
      let addresses = item.addresses
      url = addresses.first { !$0.isAddressOfServer } ?? ""
      if addresses == [url] { fields.take("addr") }
      if places == .whole {
        fields.take("label")
      } else {
        // The service identifies it, and is visible to people.
        if item.label == key.service { fields.take("label") }
        name = key.service
        fields.take("service")
      }
    case .cryptographic, .secretService: throw .otherKind
    }
    guard credential.authenticationScheme == nil else { throw .otherKind }
    guard credential.secret.withUnsafeBytes({ isValidUTF8($0) && !$0.contains(0) }) else {
      throw .unspeakable
    }
    var code = Secret()
    if case .some(let url) = credential.further.oneTimeCode {
      fields.take("one-time code")
      code = url.copy()
    }
    fields.take("tags")
    let account = item.key.account ?? ""
    // An empty one is none there.
    if places == .whole || !account.isEmpty { fields.take("account") }
    return ExportedLogin(
      name: name, url: url, account: account, comment: fields.take("comment") ?? "",
      secret: credential.secret.copy(), code: code, tags: item.tags)
  }
}

extension InternetPassword {
  /// Whether a URL, read back, is for the same server.
  fileprivate func hasServer(of url: ByteString) -> Bool {
    Place.ofServer(in: url)?.place == Place(protocol: `protocol`, server: server ?? "", port: port)
  }

  /// Whether a URL, read back, has the same path.
  fileprivate func hasPath(of url: ByteString) -> Bool { (try? Place.parse(url))?.place.path == path }

  /// The URL, if reading it back would give another place, as for a login page.
  var placeForCSV: ByteString? {
    guard let url = url().map({ ByteString($0) }) else { return nil }
    return path == nil && hasServer(of: url) ? nil : url
  }
}
