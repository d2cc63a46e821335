/// A service for git or mail whose way of signing in is known: its endpoints, its scopes, and the user name for its
/// tokens.
package struct KnownService {
  /// How the service is called, for people.
  package let name: String
  /// Its name in `credential.URL.provider`, as Git Credential Manager has it where that knows the service.
  package let provider: String
  /// The hosts on which it certainly is. A name that begins with a dot stands for all hosts below it.
  package let hosts: [String]
  /// The beginning of the realm by which its servers call themselves in `WWW-Authenticate`; `nil` if that says nothing.
  let realm: String?
  /// Paths on the server, or whole addresses.
  private(set) var authorize: String
  private(set) var token: String
  private(set) var device: String?
  let revoke: String?
  /// The client that the service itself has for git's helpers, by its documentation.
  let builtInClient: String?
  /// The address that has to be registered for a client, and is registered for the built-in one.
  package let redirectURI: String
  let scope: String
  /// The user name that goes with a token; `nil` if any does.
  package let userName: String?
  /// Whether the name in a URL says nothing of whose token is meant: its tokens have a name of their own, or that in
  /// the URL is an organisation's. Elsewhere it is a person's, and a token of somebody else doesn't answer.
  var ignoresNamesInURLs = false
  /// How many parts the path of each repository has below the service's own; `nil` where that differs.
  var repositoryDepth: Int?
  /// The first of these parts, if that is the same for each repository.
  var repositoryMark: String?
  /// The path at which all of its servers have metadata with the endpoints of this table, and so say where they lie.
  var metadata: String?
  /// Git Credential Manager's own settings for a client there: `gitHubDev` stands for `gitHubDevClientId` and so on.
  let settingsPrefix: String?
  /// Where a client is registered: a path on the server, or a whole address.
  package let registration: String
  /// What to choose there, in a few words.
  package let choices: String
  /// Whether a client there needs its secret, except for a device code.
  package let needsSecret: Bool

  /// Whether it is for mail and not for git.
  package var isOfMail = false

  /// All known services.
  package static let all: [KnownService] =
    [gitHub, gitLab, forgejo, gitea, bitbucket, bitbucketDataCenter, azureDevOps, google] + ofMail

  /// The service that certainly is at a place.
  package static func at(_ place: SignInPlace) -> KnownService? {
    let host = place.server.host
    return all.first { service in
      service.isOfMail == place.isOfMail
        && service.hosts.contains {
          $0.hasPrefix(".") ? host.hasSuffix($0) && host.count > $0.count : host == $0
        }
    }
  }

  /// The service with a name in configuration.
  package static func named(_ provider: String) -> KnownService? {
    all.first { $0.provider == provider.lowercased() }
  }

  /// The service that a server says it is, by the `WWW-Authenticate` headers of a refusal.
  ///
  /// It only picks a row of this table, whose endpoints are on the same host: what a server says never leads elsewhere.
  package static func calling(itself headers: [String]) -> KnownService? {
    for header in headers {
      guard let realm = realm(of: header) else { continue }
      if let service = all.first(where: { service in
        service.hasEndpointsOnItsHost && (service.realm.map { realm.hasPrefix($0) } ?? false)
      }) {
        return service
      }
    }
    return nil
  }

  /// The value of `realm="…"` in a header.
  private static func realm(of header: String) -> Substring? {
    let name = "realm=\""
    var rest = header[...]
    while !rest.isEmpty {
      if rest.prefix(name.count).lowercased() == name {
        return rest.dropFirst(name.count).prefix { $0 != "\"" }
      }
      rest.removeFirst()
    }
    return nil
  }

  /// The path below which the service lies, by the path of one of its repositories, or of something below that; `nil`
  /// for the whole server, and if it can't be told.
  func folder(ofRepository path: String) -> String? {
    guard let repositoryDepth else { return nil }
    let parts = Self.parts(ofRepository: path)
    guard parts.count > repositoryDepth else { return nil }
    let folder = parts.dropLast(repositoryDepth)
    if let repositoryMark, parts[folder.endIndex] != repositoryMark { return nil }
    return folder.joined(separator: "/")
  }

  /// The paths below which the service may lie, by the path of one of its repositories: its namespace has at least one
  /// part, and so has its name. The shortest comes first; only few are returned.
  func possibleFolders(ofRepository path: String) -> [String] {
    let above = Self.parts(ofRepository: path).dropLast(2).prefix(3)
    return above.indices.map { above[...$0].joined(separator: "/") }
  }

  /// The parts of a repository's path, without what is below the repository.
  private static func parts(ofRepository path: String) -> ArraySlice<Substring> {
    let parts = path.split(separator: "/")
    let end = parts.firstIndex { $0.hasSuffix(".git") }.map { $0 + 1 } ?? parts.count
    return parts[..<end]
  }

  /// The same service, whose people are those of a tenant.
  func of(tenant: EntraTenant?) -> KnownService {
    guard let tenant else { return self }
    var service = self
    service.authorize = tenant.replacingAny(in: authorize)
    service.token = tenant.replacingAny(in: token)
    service.device = device.map(tenant.replacingAny)
    return service
  }

  /// The user name under which one token answers for every name in a URL; `nil` where it answers for its own alone.
  package var nameForAll: String? {
    ignoresNamesInURLs ? userName ?? ClientRegistration.usualUserName : nil
  }

  /// Whether nobody has to register a client there.
  package var hasBuiltInClient: Bool { builtInClient != nil }

  /// Whether a person can sign in there with a code.
  package var hasDeviceCode: Bool { device != nil }

  /// Whether a client there can sign in with a code without its secret, although it needs that for the browser.
  package var sparesSecretForCodes: Bool { needsSecret && provider == "github" }

  /// Where a client is registered, for people: the page of the service's own host, if it has one.
  package var registrationPage: String {
    guard registration.hasPrefix("/") else { return registration }
    guard let host = hosts.first else { return "\(registration) of your server" }
    return "https://\(host)\(registration)" + (hasServersOfOthers ? ", or that page of your server" : "")
  }

  /// Whether others have servers of that kind, too.
  private var hasServersOfOthers: Bool { realm != nil }

  private var hasEndpointsOnItsHost: Bool { authorize.hasPrefix("/") && token.hasPrefix("/") }
}

extension KnownService {
  static let gitHub = KnownService(
    name: "GitHub", provider: "github", hosts: ["github.com", "gist.github.com", ".ghe.com"], realm: "GitHub",
    authorize: "/login/oauth/authorize", token: "/login/oauth/access_token", device: "/login/device/code",
    revoke: nil,
    builtInClient: nil, redirectURI: "http://127.0.0.1", scope: "repo workflow gist", userName: nil,
    settingsPrefix: "gitHubDev", registration: "/settings/applications/new",
    choices: "tick \"Enable Device Flow\"", needsSecret: true)

  static let gitLab = KnownService(
    name: "GitLab", provider: "gitlab", hosts: ["gitlab.com"], realm: "GitLab",
    authorize: "/oauth/authorize", token: "/oauth/token", device: "/oauth/authorize_device",
    revoke: "/oauth/revoke",
    builtInClient: nil, redirectURI: "http://127.0.0.1", scope: "read_repository write_repository",
    userName: "oauth2", ignoresNamesInURLs: true, metadata: "/.well-known/openid-configuration",
    settingsPrefix: "gitLabDev", registration: "/-/user_settings/applications",
    choices: "untick \"Confidential\", tick the scopes read_repository and write_repository",
    needsSecret: false)

  static let forgejo = KnownService(
    name: "Forgejo", provider: "forgejo", hosts: ["codeberg.org"], realm: "Forgejo",
    authorize: "/login/oauth/authorize", token: "/login/oauth/access_token", device: nil, revoke: nil,
    builtInClient: builtInGiteaClient, redirectURI: "http://127.0.0.1", scope: "", userName: nil,
    repositoryDepth: 2, settingsPrefix: nil, registration: "/user/settings/applications",
    choices: "untick \"Confidential client\"",
    needsSecret: false)

  static let gitea = KnownService(
    name: "Gitea", provider: "gitea", hosts: ["gitea.com"], realm: "Gitea",
    authorize: "/login/oauth/authorize", token: "/login/oauth/access_token", device: nil, revoke: nil,
    builtInClient: builtInGiteaClient, redirectURI: "http://127.0.0.1", scope: "", userName: nil,
    repositoryDepth: 2, settingsPrefix: nil, registration: "/user/settings/applications",
    choices: "untick \"Confidential client\"",
    needsSecret: false)

  /// The client of every Gitea and Forgejo for git-credential-oauth (docs.gitea.com/development/oauth2-provider,
  /// "Pre-configured Applications"). The consent page names that program.
  private static let builtInGiteaClient = "a4792ccc-144e-407e-86c9-5e7d8d9c3269"

  static let bitbucket = KnownService(
    name: "Bitbucket", provider: "bitbucket", hosts: ["bitbucket.org"], realm: nil,
    authorize: "/site/oauth2/authorize", token: "/site/oauth2/access_token", device: nil, revoke: nil,
    builtInClient: nil, redirectURI: "http://localhost:34106/", scope: "repository:write",
    userName: "x-token-auth", ignoresNamesInURLs: true,
    settingsPrefix: "cloudOAuth", registration: "/account/settings/",
    choices: "in the workspace's settings, add an OAuth consumer with the permission Repositories: Write",
    needsSecret: true)

  static let bitbucketDataCenter = KnownService(
    name: "Bitbucket Data Center", provider: "bitbucket-data-center", hosts: [], realm: "Atlassian Bitbucket",
    authorize: "/rest/oauth2/latest/authorize", token: "/rest/oauth2/latest/token", device: nil,
    revoke: "/rest/oauth2/latest/revoke", builtInClient: nil, redirectURI: "http://127.0.0.1",
    scope: "REPO_WRITE",
    userName: nil, repositoryDepth: 3, repositoryMark: "scm", settingsPrefix: "bitbucketDataCenterOAuth",
    registration: "/plugins/servlet/applinks/listApplicationLinks",
    choices:
      "an administrator adds an external application, incoming, with the permission Repositories: Write",
    needsSecret: true)

  static let azureDevOps = KnownService(
    name: "Azure DevOps", provider: "azure-repos", hosts: ["dev.azure.com", ".visualstudio.com"], realm: nil,
    authorize: "https://login.microsoftonline.com/organizations/oauth2/v2.0/authorize",
    token: "https://login.microsoftonline.com/organizations/oauth2/v2.0/token",
    device: "https://login.microsoftonline.com/organizations/oauth2/v2.0/devicecode", revoke: nil,
    builtInClient: nil, redirectURI: "http://localhost",
    scope: "499b84ac-1321-427f-aa17-267ca6975798/.default offline_access", userName: nil,
    ignoresNamesInURLs: true, settingsPrefix: nil,
    registration: "https://entra.microsoft.com/",
    choices: "a public client, with \"Allow public client flows\"",
    needsSecret: false)

  static let google = KnownService(
    name: "Google", provider: "google", hosts: [".googlesource.com"], realm: nil,
    authorize: "https://accounts.google.com/o/oauth2/auth", token: "https://oauth2.googleapis.com/token",
    device: "https://oauth2.googleapis.com/device/code", revoke: "https://oauth2.googleapis.com/revoke",
    builtInClient: nil, redirectURI: "http://127.0.0.1",
    scope: "https://www.googleapis.com/auth/gerritcodereview", userName: nil, settingsPrefix: nil,
    registration: "https://console.cloud.google.com/apis/credentials", choices: "the type \"Desktop app\"",
    needsSecret: true)
}
