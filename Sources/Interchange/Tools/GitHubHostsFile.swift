import CredentialProtocols
import Keychain

extension FileFormat {
  /// The file of GitHub's command line, which stores tokens there if it found no keyring (cli.github.com, "gh auth
  /// login", `--insecure-storage`): each host with the token of the account in use and, since version 2.40, those of
  /// all accounts.
  public static let gitHub = FileFormat(
    "gh", "the tokens of GitHub's command line 'gh'",
    usualPaths: [
      "$GH_CONFIG_DIR/hosts.yml", "$XDG_CONFIG_HOME/gh/hosts.yml", "~/.config/gh/hosts.yml",
    ],
    holdsLoginsAlone: false,
    looksLike: { $0.hasLine(beginningWith: "oauth_token:") ? .certain : .none }
  ) { text throws(FormatFault) in
    let file: YAMLScalars
    do throws(YAMLScalars.Malformed) {
      file = try YAMLScalars(text)
    } catch {
      throw FormatFault("it is not YAML that gh writes", line: error.line)
    }
    var found = FoundLogins()
    var rest = file.scalars[...]
    while !rest.isEmpty {
      // A host with everything below it.
      let host = rest.prefix(1) + rest.dropFirst().prefix { $0.path.count > 1 }
      readHost(host, &found)
      rest = rest.dropFirst(host.count)
    }
    return found
  }

  private static func readHost(_ scalars: ArraySlice<YAMLScalar>, _ found: inout FoundLogins) {
    let user = (scalars.last { $0.path.count == 2 && $0.path[1] == "user" }?.text).nonEmpty
    let tokens = scalars.filter { $0.path.last == "oauth_token" }
    // A token may be in what is written in YAML's other style.
    for other in scalars where (other.raw.first == 0x7b || other.raw.first == 0x5b) && other.raw.count > 2 {
      if other.path.last != "oauth_token" { found.passOver(.line(other.line), .malformed) }
    }

    /// The account of a token; `nil` for a place where gh stores none.
    func account(of token: YAMLScalar) -> ByteString? {
      if token.path.count == 4, token.path[1] == "users" { return token.path[2] }
      // gh's answer to git if it doesn't know the account.
      return token.path.count == 2 ? user ?? "x-access-token" : nil
    }

    for (index, token) in tokens.enumerated() {
      guard case .some(let secret) = token.secret, let owner = account(of: token),
        let host = HostAndPort(parsing: token.path[0]), host.server.canBeServer
      else {
        found.passOver(.line(token.line), .malformed)
        continue
      }
      if secret.isEmpty {
        found.passOver(.line(token.line), .noSecret)
        continue
      }
      // The file may contain the same token of the same account twice; that is one login.
      func isSame(_ other: YAMLScalar) -> Bool {
        guard account(of: other) == owner, case .some(let theirs) = other.secret else { return false }
        return theirs.isEqual(to: secret)
      }
      if tokens[..<index].contains(where: isSame) { continue }
      let key = InternetPassword(
        protocol: "https", server: host.server.lowercased, port: host.port, account: owner)
      // What else the file says of the host and the account stays in it.
      let entry = SourceEntry(
        at: .line(token.line), removals: tokens[index...].filter(isSame).map { Removal($0.range) })
      found.take(Item(key), Credential(secret.copy()), of: entry)
    }
  }
}
