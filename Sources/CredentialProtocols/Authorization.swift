import Bytes
import Keychain

/// How a credential is sent in the `Authorization` header (RFC 9110 section 11.6.2).
enum AuthorizationScheme: Equatable {
  /// Account and password (RFC 7617).
  case basic
  /// The secret is a token (RFC 6750).
  case bearer
  /// The secret is the whole value of the header.
  case raw
  /// The secret was made for a given scheme (git's `authtype`).
  case readyMade(ByteString)

  /// Accounts that mark the secret as a token rather than an account's password.
  private static let tokenMarkers: [ByteString] = ["<token>", "x-bearer"]

  /// The scheme of the credential, else of the item's authentication type, else of its account.
  init(of item: Item, _ credential: borrowing Credential) {
    if let scheme = credential.authenticationScheme {
      self = .readyMade(scheme)
      return
    }
    if case .internetPassword(let key) = item.key, let type = key.authenticationType?.lowercased {
      switch type {
      case "basic": self = .basic
      case "bearer": self = .bearer
      case "raw": self = .raw
      default: self = Self.byAccount(item.key.account)
      }
      return
    }
    self = Self.byAccount(item.key.account)
  }

  /// An empty account is an account too: git logs in with it if a server checks only the password.
  private static func byAccount(_ account: ByteString?) -> AuthorizationScheme {
    account.map { tokenMarkers.contains($0) ? .bearer : .basic } ?? .bearer
  }
}

/// The value of the header `Authorization` for an item.
///
/// - Throws: ``KeychainError`` if the header can't carry it: account and password must contain no control characters,
///   and the account no colon (RFC 7617 section 2); for tokens see ``Secret/isHeaderValue()``.
func authorization(of answer: borrowing Answer) throws(KeychainError) -> Secret {
  var value = Secret(capacity: 256)
  switch AuthorizationScheme(of: answer.item, answer.credential) {
  case .basic:
    var login = Secret(copying: answer.item.key.account ?? "")
    if login.withUnsafeBytes({ $0.contains(UInt8(ascii: ":")) }) {
      throw .failure(
        "the account of \(answer.item.name) has a colon in it, which a login over HTTP can't have",
        status: .keychain)
    }
    login.append(":")
    login.append(answer.credential.secret)
    if login.withUnsafeBytes({ $0.contains { $0 < 0x20 || $0 == 0x7f } }) { throw .notForHeader(answer.item) }
    value.append("Basic ")
    login.withUnsafeBytes { Base64.encode($0, to: &value) }
    return value
  case .bearer: value.append("Bearer ")
  case .raw: break
  case .readyMade(let scheme):
    guard isToken(scheme) else { throw .notForHeader(answer.item) }
    value.append(contentsOf: scheme)
    value.append(" ")
  }
  try answer.credential.secret.requireHeaderValue(of: answer.item)
  value.append(answer.credential.secret)
  return value
}

/// Whether a word is an HTTP token, as a scheme must be (RFC 9110 section 5.6.2).
private func isToken(_ word: ByteString) -> Bool { !word.isEmpty && word.bytes.allSatisfy(\.isOfToken) }

extension Resolver {
  /// The best item for a place whose secret can be sent as a token: the tool's own, else a token of git's or a
  /// person's. An account's password is only for that account's own server.
  func token(
    at place: Place, where isMeant: (Item) -> Bool = { _ in true }
  ) throws(KeychainError) -> Answer? {
    try answer(at: place) { item, credential in
      guard case .internetPassword = item.key, credential.authenticationScheme == nil, isMeant(item) else {
        return false
      }
      return item[.securityDomain] != nil || AuthorizationScheme(of: item, credential) == .bearer
    }
  }
}

extension Secret {
  /// Whether a header can carry the secret as text: UTF-8 without control characters or surrounding white space (RFC
  /// 9110 section 5.5).
  borrowing func isHeaderValue() -> Bool {
    withUnsafeBytes { bytes in
      guard let first = bytes.first, let last = bytes.last, first > 0x20, last > 0x20 else { return false }
      return isValidUTF8(bytes) && !bytes.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }
    }
  }

  /// Throws if ``isHeaderValue()`` doesn't hold for an item's secret.
  borrowing func requireHeaderValue(of item: Item) throws(KeychainError) {
    guard isHeaderValue() else { throw .notForHeader(item) }
  }
}

extension KeychainError {
  static func notForHeader(_ item: Item) -> KeychainError {
    .failure(
      "the secret of \(item.name) can't be sent in an HTTP header",
      hint: """
        it is empty, or holds a line break, a control character or a space at an end; \
        replace it with 'llavero update'
        """, status: .keychain)
  }
}
