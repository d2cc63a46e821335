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
    var found = try FoundLogins.asOne { (asOne) throws(FormatFault) in try logins(in: text, asOne: asOne) }
    // Headers of any kind, for example.
    var positions = FilePositions(text)
    try? JSONReader.members(of: text) { (kind, logins) throws(JSONReader.Malformed) in
      let isKnown = ComposerLogin.kinds.contains(try JSONValue.name(kind))
      if !isKnown, logins.kind == .object { found.passOver(.line(positions.line(of: kind)), .malformed) }
    }
    return found
  }

  /// - Parameter asOne: whether those of a kind go at once: Composer takes an empty one for a login.
  private static func logins(
    in text: UnsafeRawBufferPointer, asOne: Bool
  ) throws(FormatFault) -> FoundLogins {
    var found = FoundLogins()
    var positions = FilePositions(text)
    do throws(JSONReader.Malformed) {
      try JSONReader.members(of: text) { (kind, logins) throws(JSONReader.Malformed) in
        guard logins.kind == .object, ComposerLogin.kinds.contains(try JSONValue.name(kind)) else {
          return found.noteOthers()
        }
        try JSONReader.members(of: logins.raw) { (host, value) throws(JSONReader.Malformed) in
          let origin = Origin.line(positions.line(of: host))
          let login = try ComposerLogin(kind, value)
          guard let secret = login.secret else { return found.passOver(origin, .malformed) }
          let removal =
            asOne
            ? Removal(positions.range(of: logins.raw), replacement: .emptyObject)
            : Removal(positions.range(of: secret.raw), replacement: .emptyString)
          var copy = Secret(capacity: secret.raw.count)
          try secret.appendString(to: &copy)
          found.take(
            copy, login.account, at: try JSONValue.name(host),
            of: SourceEntry(at: origin, removals: [removal]))
        }
      }
    } catch {
      throw FormatFault("it is not JSON that composer writes")
    }
    return found
  }
}

/// A login of a kind.
private struct ComposerLogin {
  /// Where the secret is; `nil` if it isn't of a known form, or has more than is taken.
  private(set) var secret: JSONValue?
  private(set) var account: ByteString?

  /// The kinds whose logins are a token, or an object with one.
  static let kinds: [ByteString] = tokens + ["http-basic", "bitbucket-oauth"]
  private static let tokens: [ByteString] = ["github-oauth", "gitlab-oauth", "gitlab-token", "bearer"]

  init(_ kind: UnsafeRawBufferPointer, _ login: JSONValue) throws(JSONReader.Malformed) {
    let kind = try JSONValue.name(kind)
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
