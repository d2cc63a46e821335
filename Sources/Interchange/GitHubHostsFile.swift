import CredentialProtocols
import Keychain

extension FileFormat {
  /// The file of GitHub's command line, where it keeps tokens if it found no keyring (cli.github.com, "gh auth login",
  /// `--insecure-storage`): each host with the token of the account in use, since version 2.40 with those of all.
  public static let gitHub = FileFormat(
    "gh", "the hosts file of GitHub's command line 'gh'",
    usualPaths: [
      "$GH_CONFIG_DIR/hosts.yml", "$XDG_CONFIG_HOME/gh/hosts.yml", "~/.config/gh/hosts.yml",
    ],
    holdsLoginsAlone: false
  ) { text throws(FormatFault) in
    let file: YAMLScalars
    do throws(YAMLScalars.Malformed) {
      file = try YAMLScalars(text)
    } catch {
      throw FormatFault("it is no YAML that gh writes", line: error.line)
    }
    var found = FoundLogins()
    let tokens = file.scalars.filter { $0.path.last == "oauth_token" }
    for (index, token) in tokens.enumerated() {
      guard case .some(let secret) = token.secret else {
        found.passOver(.line(token.line), .malformed)
        continue
      }
      if secret.isEmpty {
        found.passOver(.line(token.line), .noSecret)
        continue
      }
      guard let owner = account(of: token, in: file), let name = token.path.first,
        let host = HostAndPort(parsing: name), host.server.canBeServer
      else {
        found.passOver(.line(token.line), .malformed)
        continue
      }
      // The same token of the same account stands there twice, and is one login.
      func isSame(_ other: YAMLScalar) -> Bool {
        guard other.path[0] == name, account(of: other, in: file) == owner,
          case .some(let theirs) = other.secret
        else { return false }
        return theirs.isEqual(to: secret)
      }
      if tokens[..<index].contains(where: isSame) { continue }
      let key = InternetPassword(
        protocol: "https", server: host.server.lowercased, port: host.port, account: owner)
      found.take(
        FoundLogin(
          Item(key), Credential(secret.copy()), at: .line(token.line),
          removals: tokens[index...].filter(isSame).map { Removal($0.range) }))
    }
    return found
  }

  /// The account whose token it is; `nil` for a place where gh keeps none.
  private static func account(of token: YAMLScalar, in file: YAMLScalars) -> ByteString? {
    if token.path.count == 4, token.path[1] == "users" { return token.path[2] }
    guard token.path.count == 2 else { return nil }
    let user = file.scalars.last { $0.path == [token.path[0], "user"] }
    // What gh says to git where it doesn't know the account.
    return (user?.text).nonEmpty ?? "x-access-token"
  }
}
