import Bytes
import CredentialProtocols
import Keychain

extension FileFormat {
  /// Composer's logins (getcomposer.org, "Authentication for privately hosted packages and repositories"). A user name
  /// with a password is stored as the login for its host, and a token or a consumer's secret under the service
  /// `composer:HOST`, with its kind as description. A token that Composer renews stays.
  public static let composer = FileFormat(
    "composer", "the logins in composer's auth.json",
    usualPaths: [
      "$COMPOSER_HOME/auth.json", "$XDG_CONFIG_HOME/composer/auth.json", "~/.config/composer/auth.json",
      "~/.composer/auth.json",
    ], holdsLoginsAlone: true,
    looksLike: { shape in
      let kinds = ComposerKind.all.map(\.name)
      return shape.members.contains { $0 != "bearer" && kinds.contains($0) }
    }
  ) { text throws(FormatFault) in
    try FoundLogins(inJSON: text, of: "composer", where: { $1.kind == .object }) {
      (login, found) throws(JSONReader.Malformed) in
      // Custom headers, for example, are no logins.
      guard let kind = ComposerKind.all.first(where: { $0.name == login.group }),
        login.value.kind == .object || kind.mayBeSecretAlone
      else { return found.passOver(login.origin, .malformed) }
      var entry = SourceEntry(at: login.origin, removals: [login.removal])
      if login.value.kind == .object {
        try entry.addMembers(of: login.value.raw)
      } else {
        entry.add(kind.secret, .json(login.value))
      }
      // Composer renews it, and writes it there.
      if entry.index(of: ["refresh-token"]) != nil { return found.passOver(login.origin, .renewed) }
      // Composer fetched it with a consumer's key.
      entry.leaveToProgram("access-token", "access-token-expiration")
      let secret = entry.secret(kind.secret)
      found.take(secret, entry.text(kind.account).nonEmpty, of: kind, at: login.name, entry)
    }
  }
}

struct ComposerKind {
  let name: ByteString
  /// The members of a login.
  let account: ByteString
  let secret: ByteString
  /// Whether the value may be just the secret, in place of an object.
  var mayBeSecretAlone = true

  static let all = [
    ComposerKind(name: "http-basic", account: "username", secret: "password", mayBeSecretAlone: false),
    ComposerKind(
      name: "bitbucket-oauth", account: "consumer-key", secret: "consumer-secret", mayBeSecretAlone: false),
    ComposerKind(name: "gitlab-token", account: "username", secret: "token"),
    ComposerKind(name: "gitlab-oauth", account: "username", secret: "token"),
    ComposerKind(name: "forgejo-token", account: "username", secret: "token"),
    ComposerKind(name: "github-oauth", account: "username", secret: "token"),
    ComposerKind(name: "bearer", account: "username", secret: "token"),
  ]

  /// Whether its accounts are users who log in to the host.
  fileprivate var isOfUsers: Bool { account == "username" }
}

extension FoundLogins {
  fileprivate mutating func take(
    _ secret: consuming Secret, _ account: ByteString?, of kind: ComposerKind, at host: ByteString,
    _ entry: borrowing SourceEntry
  ) {
    if secret.isEmpty { return passOver(entry.origin, .noSecret) }
    if host.hasPasswordOfAddress { return passOver(entry.origin, .inURL) }
    var item = Item(service: "composer:\(host)", account: account)
    if kind.isOfUsers, let account {
      guard let place = try? Place.parse(host, assuming: "https").place else {
        return passOver(entry.origin, .noPlace)
      }
      item.key = .internetPassword(place.key(account: account, for: nil))
    }
    item.itemDescription = kind.name
    take(item, Credential(secret), of: entry)
  }
}
