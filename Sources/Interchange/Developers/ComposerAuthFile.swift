import Bytes
import CredentialProtocols
import JSON
import Keychain

extension FileFormat {
  /// Composer's logins (getcomposer.org, "Authentication for privately hosted packages and repositories"). A user name with
  /// a password is stored as the login for its host, and a token under the service `composer:HOST`.
  public static let composer = FileFormat(
    "composer", "the logins in composer's auth.json",
    usualPaths: [
      "$COMPOSER_HOME/auth.json", "$XDG_CONFIG_HOME/composer/auth.json", "~/.config/composer/auth.json",
      "~/.composer/auth.json",
    ], holdsLoginsAlone: true,
    looksLike: { shape in
      let kinds: [ByteString] = [
        "http-basic", "github-oauth", "gitlab-oauth", "gitlab-token", "bitbucket-oauth",
      ]
      return shape.members.contains(where: kinds.contains) ? .certain : .none
    }
  ) { text throws(FormatFault) in
    try FoundLogins(inJSON: text, of: "composer", where: { $1.kind == .object }) {
      (login, found) throws(JSONReader.Malformed) in
      let read = try ComposerLogin(login.group, login.value)
      // Headers of any kind, for example, have none.
      guard let secret = read.secret else { return found.passOver(login.origin, .malformed) }
      var copy = Secret(capacity: secret.raw.count)
      try secret.appendString(to: &copy)
      found.take(
        copy, read.account, at: login.name, of: SourceEntry(at: login.origin, removals: [login.removal]))
    }
  }
}

/// A login of a kind.
private struct ComposerLogin {
  /// Where the secret is; `nil` if it isn't of a known form, or has more than is taken.
  private(set) var secret: JSONValue?
  private(set) var account: ByteString?

  /// The kinds whose logins may be a token alone.
  private static let tokens: [ByteString] = ["github-oauth", "gitlab-oauth", "gitlab-token", "bearer"]

  init(_ kind: ByteString, _ login: JSONValue) throws(JSONReader.Malformed) {
    if login.kind == .string, Self.tokens.contains(kind) {
      secret = login
      return
    }
    guard login.kind == .object else { return }
    let names: (account: ByteString, secret: ByteString)
    switch kind {
    case "http-basic": names = ("username", "password")
    case "bitbucket-oauth": names = ("consumer-key", "consumer-secret")
    case "gitlab-token", "gitlab-oauth": names = ("username", "token")
    default: return
    }
    var hasMore = false
    try JSONReader.members(of: login.raw) { (name, value) throws(JSONReader.Malformed) in
      let name = try JSONValue.name(name)
      if name == names.secret, value.kind == .string {
        secret = value
      } else if name == names.account, value.kind == .string {
        account = try value.string()
      } else {
        hasMore = true
      }
    }
    if hasMore { secret = nil }
  }
}

extension FoundLogins {
  fileprivate mutating func take(
    _ secret: consuming Secret, _ account: ByteString?, at host: ByteString, of entry: borrowing SourceEntry
  ) {
    if secret.isEmpty { return passOver(entry.origin, .noSecret) }
    guard let account = account.nonEmpty else {
      return take(
        Item(.genericPassword(GenericPassword(service: ByteString("composer:\(host)"), account: nil))),
        Credential(secret), of: entry)
    }
    guard let place = try? Place.parse(host, assuming: "https").place else {
      return passOver(entry.origin, .noPlace)
    }
    take(Item(place.key(account: account, for: nil)), Credential(secret), of: entry)
  }
}
