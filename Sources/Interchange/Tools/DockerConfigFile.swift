import Bytes
import CredentialProtocols
import JSON
import Keychain

extension FileFormat {
  /// The configuration of docker, and the file of podman, buildah and skopeo, which contain logins if there is no
  /// credential helper (docs.docker.com, "docker login"; containers-auth.json(5)).
  public static let docker = FileFormat(
    "docker", "the logins of docker, podman and skopeo",
    usualPaths: [
      "$DOCKER_CONFIG/config.json", "~/.docker/config.json", "$REGISTRY_AUTH_FILE",
      "$XDG_RUNTIME_DIR/containers/auth.json", "$XDG_CONFIG_HOME/containers/auth.json",
      "~/.config/containers/auth.json",
    ],
    holdsLoginsAlone: false
  ) { text throws(FormatFault) in
    var found = FoundLogins()
    var positions = FilePositions(text)
    do throws(JSONReader.Malformed) {
      try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
        guard name == "auths", value.kind != .null else { return }
        try JSONReader.members(of: value.raw) { (address, login) throws(JSONReader.Malformed) in
          readLogin(address, login, &positions, &found)
        }
      }
    } catch {
      throw FormatFault("it is not JSON that docker writes")
    }
    found.passOverContradictions()
    return found
  }
}

private func readLogin(
  _ name: UnsafeRawBufferPointer, _ value: JSONValue, _ positions: inout FilePositions,
  _ found: inout FoundLogins
) {
  var login = DockerFileLogin()
  let address: ByteString
  do throws(JSONReader.Malformed) {
    address = try JSONValue.name(name)
    try JSONReader.members(of: value.raw) { (name, value) throws(JSONReader.Malformed) in
      try login.take(name, value)
    }
  } catch {
    return found.passOver(.line(positions.line(of: name)), .malformed)
  }
  // A credential helper has the login, or it was removed before.
  if login.isEmpty { return }
  let origin = Origin.entry(address)
  let secret = login.secret
  if secret.isEmpty { return found.passOver(origin, login.isOtherToken ? .noLogin : .noSecret) }
  if DockerProtocol.isPart(address) { return found.passOver(origin, .partOfRegistry) }
  guard let account = login.account.nonEmpty,
    let item = try? DockerProtocol.item(at: address, account: account)
  else { return found.passOver(origin, .malformed) }
  found.take(
    FoundLogin(
      item, Credential(secret), at: origin,
      removals: [Removal(positions.range(of: value.raw), replacement: .emptyObject)],
      leftBehind: login.leftBehind))
}

/// The entry of one registry.
private struct DockerFileLogin: ~Copyable {
  /// A user name and what goes with it.
  private struct Login: ~Copyable {
    var account: ByteString?
    var secret = Secret()

    /// Whether the other has nothing that this one lacks.
    borrowing func covers(_ other: borrowing Login) -> Bool {
      (other.account == nil || other.account == account)
        && (other.secret.isEmpty || other.secret.isEqual(to: secret))
    }
  }

  private(set) var isEmpty = true
  /// `auth`, which docker prefers to the members of their own.
  private var joined = Login()
  private var hasAuth = false
  /// `username` and `password`.
  private var apart = Login()
  /// `identitytoken`, which docker prefers to everything else.
  private var token = Secret()
  /// Whether there is a token that is only for the registry and lasts for minutes.
  private(set) var isOtherToken = false
  /// Whether there is something that docker has never put there.
  private var hasOthers = false

  var account: ByteString? {
    if !token.isEmpty { return DockerProtocol.tokenAccount }
    return hasAuth ? joined.account : apart.account
  }

  var secret: Secret {
    if !token.isEmpty { return token.copy() }
    return hasAuth ? joined.secret.copy() : apart.secret.copy()
  }

  /// What docker doesn't use, and an item has no room for.
  var leftBehind: [String] {
    var words: [String] = []
    let isUsed =
      token.isEmpty
      ? !hasAuth || joined.covers(apart) : joined.secret.isEmpty && apart.secret.isEmpty
    if !isUsed { words.append("another password") }
    if isOtherToken { words.append("registry token") }
    if hasOthers { words.append("members that docker doesn't know") }
    return words
  }

  mutating func take(_ name: UnsafeRawBufferPointer, _ value: JSONValue) throws(JSONReader.Malformed) {
    isEmpty = false
    if value.kind == .null { return }
    if name == "auth" {
      var decoded = Secret(capacity: value.raw.count)
      try value.appendBase64(to: &decoded)
      if decoded.isEmpty { return }
      if hasAuth { throw JSONReader.Malformed() }
      hasAuth = true
      try decoded.withUnsafeBytes { (text) throws(JSONReader.Malformed) in
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { throw JSONReader.Malformed() }
        // Docker also drops the NUL bytes around it.
        var start = colon + 1
        while start < text.count, text[start] == 0 { start += 1 }
        var end = text.count
        while end > start, text[end - 1] == 0 { end -= 1 }
        joined.account = ByteString(UnsafeRawBufferPointer(rebasing: text[..<colon]))
        joined.secret = Secret(copying: UnsafeRawBufferPointer(rebasing: text[start..<end]))
      }
    } else if name == "identitytoken" {
      try Self.set(&token, to: value)
    } else if name == "username" {
      let name = try value.string()
      if !name.isEmpty { apart.account = name }
    } else if name == "password" {
      try Self.set(&apart.secret, to: value)
    } else if name == "registrytoken" {
      isOtherToken = true
    } else if !(name == "email" || name == "serveraddress") {
      // These two say nothing that the address doesn't, or nothing that docker still uses.
      hasOthers = true
    }
  }

  private static func set(_ secret: inout Secret, to value: JSONValue) throws(JSONReader.Malformed) {
    var text = Secret(capacity: value.raw.count)
    try value.appendString(to: &text)
    if !text.isEmpty { secret = text }
  }
}
