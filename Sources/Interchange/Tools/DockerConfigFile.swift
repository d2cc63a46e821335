import Bytes
import CredentialProtocols
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
    holdsLoginsAlone: false,
    looksLike: { $0.members.contains("auths") }
  ) { text throws(FormatFault) in
    try FoundLogins(inJSON: text, of: "docker") { (name, value) throws(JSONReader.Malformed) in
      guard name == "auths", value.kind != .null else { return false }
      if value.kind != .object { throw JSONReader.Malformed() }
      return true
    } _: { (login, found) throws(JSONReader.Malformed) in
      // As docker leaves it, so that its `logout` still knows the registry.
      var entry = SourceEntry(
        at: .entry(login.name.withoutUserInformation),
        removals: [Removal(login.range, replacement: .emptyObject)])
      try entry.addMembers(of: login.value.raw)
      // A credential helper has the login, or it was removed before.
      if entry.isEmpty { return }
      try readLogin(login.name, &entry, &found)
    }
  }
}

/// Reads the entry of one registry. Docker prefers `identitytoken` to everything else, and `auth` to the separate
/// members. `email` and `serveraddress` only repeat the address, or are no longer used by docker.
private func readLogin(
  _ address: ByteString, _ entry: inout SourceEntry, _ found: inout FoundLogins
) throws(JSONReader.Malformed) {
  let token = entry.secret("identitytoken")
  let joined = try JoinedLogin(entry.peek(at: entry.index(of: ["auth"])))
  var account: ByteString?
  var secret = Secret()
  if !token.isEmpty {
    account = DockerProtocol.tokenAccount
    secret = token.copy()
    // A user name alone means nothing there.
    if joined.secret.isEmpty { entry.leaveToProgram("auth") }
  } else if joined.isThere {
    _ = entry.take(["auth"])
    account = joined.account
    secret = joined.secret.copy()
    entry.takeRepeats(of: Secret(copying: joined.account), "username")
    entry.takeRepeats(of: secret, "password")
  } else {
    account = entry.text("username")
    secret = entry.secret("password")
  }
  entry.leaveToProgram("email", "serveraddress")
  if secret.isEmpty {
    return found.passOver(entry.origin, entry.index(of: ["registrytoken"]) == nil ? .noSecret : .noLogin)
  }
  if address.hasPasswordOfAddress { return found.passOver(entry.origin, .inURL) }
  if DockerProtocol.isPart(address) { return found.passOver(entry.origin, .partOfRegistry) }
  guard let account = account.nonEmpty,
    let item = try? DockerProtocol.item(at: address.asDockerFinds, account: account)
  else {
    return found.passOver(entry.origin, .malformed)
  }
  found.take(item, Credential(secret), of: entry)
}

extension ByteString {
  /// The registry for which docker finds this login: just the host, if an older version wrote a URL (docker/cli,
  /// `ConvertToHostname`). Docker Hub's is a URL.
  fileprivate var asDockerFinds: ByteString {
    for scheme in ["https://", "http://"] where bytes.starts(with: scheme.utf8) {
      let host = bytes.dropFirst(scheme.utf8.count).prefix { $0 != UInt8(ascii: "/") }
      return host.elementsEqual("index.docker.io".utf8) ? self : ByteString(Array(host))
    }
    return self
  }
}

/// `auth`: a user name and a password with a colon between them, in base64.
private struct JoinedLogin: ~Copyable {
  var isThere = false
  var account: ByteString = ""
  var secret = Secret()

  init(_ field: FieldValue?) throws(JSONReader.Malformed) {
    guard case .json(let value) = field else { return }
    var decoded = Secret(capacity: value.raw.count)
    try value.appendBase64(to: &decoded)
    if decoded.isEmpty { return }
    isThere = true
    try decoded.withUnsafeBytes { (text) throws(JSONReader.Malformed) in
      guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { throw JSONReader.Malformed() }
      // Docker also drops the NUL bytes around it.
      var start = colon + 1
      while start < text.count, text[start] == 0 { start += 1 }
      var end = text.count
      while end > start, text[end - 1] == 0 { end -= 1 }
      account = ByteString(text.slice(..<colon))
      secret = Secret(copying: text.slice(start..<end))
    }
  }
}
