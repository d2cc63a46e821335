/// A service for git or mail with a known way to sign in: endpoints, scopes, and the user name for its tokens.
package struct KnownService {
  package let name: String
  /// Its name in `credential.URL.provider`, the same as in Git Credential Manager if that knows the service.
  package let provider: String
  /// The service's certain hosts. A name that begins with a dot stands for all hosts below it.
  package let hosts: [String]
  /// The beginning of its servers' realm in `WWW-Authenticate`; `nil` if that isn't characteristic.
  private(set) var realm: String?
  /// A path on the server, or a whole address.
  private(set) var authorize: String
  private(set) var token: String
  private(set) var device: String?
  private(set) var revoke: String?
  /// The service's own client for git's helpers, from its documentation.
  private(set) var builtInClient: String?
  /// The redirect address to register for a client, already registered for the built-in one.
  package private(set) var redirectURI = "http://127.0.0.1"
  let scope: String
  /// The user name for a token; `nil` if any will do.
  package private(set) var userName: String?
  /// Whether the name in a URL doesn't say whose token is meant: tokens have a name of their own, or the URL names an
  /// organisation. Elsewhere it is a person's name, and somebody else's token doesn't answer.
  var ignoresNamesInURLs = false
  /// How many parts each repository's path has below the service's own; `nil` if that varies.
  var repositoryDepth: Int?
  /// The first of these parts, if all repositories share it.
  var repositoryMark: String?
  /// The path of metadata with the endpoints of this table, which all of its servers have, and which shows where the
  /// service lies.
  var metadata: String?
  /// The prefix of Git Credential Manager's settings for a client there: `gitHubDev` stands for `gitHubDevClientId` and
  /// so on.
  private(set) var settingsPrefix: String?
  /// The page for registering a client: a path on the server, or a whole address.
  package let registration: String
  /// The choices to make there, in a few words.
  package let choices: String
  /// Whether a client there needs its secret, except for a device code.
  package let needsSecret: Bool

  /// The page for making a token by hand, which git takes as the password: a path on the server, or a whole address.
  private(set) var tokenPage: String?
  /// What such a token must be allowed to do, in the words of that page.
  package private(set) var tokenRights: String?
  /// The source of `llavero import` with the tokens of the service's own command line.
  package private(set) var importSource: String?

  /// Whether it is for mail, not for git.
  package var isOfMail = false

  package static let all: [KnownService] =
    [gitHub, gitLab, forgejo, gitea, bitbucket, bitbucketDataCenter, azureDevOps, google] + ofMail

  package static func at(_ place: SignInPlace) -> KnownService? {
    let host = place.server.host
    return all.first { service in
      service.isOfMail == place.isOfMail
        && service.hosts.contains {
          $0.hasPrefix(".") ? host.hasSuffix($0) && host.count > $0.count : host == $0
        }
    }
  }

  package static func named(_ provider: String) -> KnownService? {
    all.first { $0.provider == provider.lowercased() }
  }

  /// The service that a server claims to be, by the `WWW-Authenticate` headers of a refusal.
  ///
  /// It only picks a row of this table, whose endpoints are on the same host: no claim can lead elsewhere.
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

  /// The path of the service, from the path of a repository or something below it; `nil` for the whole server, or if
  /// unknown.
  func folder(ofRepository path: String) -> String? {
    guard let repositoryDepth else { return nil }
    let parts = Self.parts(ofRepository: path)
    guard parts.count > repositoryDepth else { return nil }
    let folder = parts.dropLast(repositoryDepth)
    if let repositoryMark, parts[folder.endIndex] != repositoryMark { return nil }
    return folder.joined(separator: "/")
  }

  /// The possible paths of the service, from the path of a repository, whose namespace and name have at least one part
  /// each. The shortest comes first; only a few are returned.
  func possibleFolders(ofRepository path: String) -> [String] {
    let above = Self.parts(ofRepository: path).dropLast(2).prefix(3)
    return above.indices.map { above[...$0].joined(separator: "/") }
  }

  /// The parts of a repository's path, without anything below the repository.
  private static func parts(ofRepository path: String) -> ArraySlice<Substring> {
    let parts = path.split(separator: "/")
    let end = parts.firstIndex { $0.hasSuffix(".git") }.map { $0 + 1 } ?? parts.count
    return parts[..<end]
  }

  /// The same service for a tenant's people.
  func of(tenant: EntraTenant?) -> KnownService {
    guard let tenant else { return self }
    var service = self
    service.authorize = tenant.replacingAny(in: authorize)
    service.token = tenant.replacingAny(in: token)
    service.device = device.map(tenant.replacingAny)
    return service
  }

  /// The user name whose token answers for every name in a URL; `nil` if tokens answer only for their own.
  package var nameForAll: String? {
    ignoresNamesInURLs ? userName ?? ClientRegistration.usualUserName : nil
  }

  package var hasBuiltInClient: Bool { builtInClient != nil }

  /// Whether a person can sign in with a code.
  package var hasDeviceCode: Bool { device != nil }

  /// Whether signing in with a code needs no client secret, although the browser does.
  package var sparesSecretForCodes: Bool { needsSecret && provider == "github" }

  /// The page for registering a client, for people; on the service's own host, if it has one.
  package var registrationPage: String {
    guard registration.hasPrefix("/") else { return registration }
    guard let host = hosts.first else { return "\(registration) of your server" }
    return "https://\(host)\(registration)" + (hasServersOfOthers ? ", or that page of your server" : "")
  }

  /// Whether others run such servers, too.
  private var hasServersOfOthers: Bool { realm != nil }

  /// The page for making a token by hand; `nil` if there is none, or git takes none.
  package func tokenPage(at place: SignInPlace) -> EndpointURL? {
    tokenPage.flatMap { place.server.below($0) }
  }

  private var hasEndpointsOnItsHost: Bool { authorize.hasPrefix("/") && token.hasPrefix("/") }
}

extension SignInPlace {
  /// The section of git's settings that people are told to write for a place's client. For mail it has neither scheme
  /// nor port, and of a known service the domain above its servers, so that one client is good for all of them.
  package var settingsSection: String {
    guard isOfMail else { return "credential.\(origin)" }
    let labels = server.host.split(separator: ".")
    let isKnown = KnownService.at(self) != nil && labels.count > 2
    return "credential." + (isKnown ? labels.dropFirst().joined(separator: ".") : server.host)
  }
}

extension KnownService {
  /// The section of git's settings for a client of the service; with `HOST` where its people have servers of their own.
  package var settingsSection: String {
    let scheme = isOfMail ? "imaps" : "https"
    let place = hosts.first { !$0.hasPrefix(".") }.flatMap { SignInPlace("\(scheme)://\($0)") }
    return place?.settingsSection ?? "credential.https://HOST"
  }

  static let gitHub = KnownService(
    name: "GitHub", provider: "github", hosts: ["github.com", "gist.github.com", ".ghe.com"], realm: "GitHub",
    authorize: "/login/oauth/authorize", token: "/login/oauth/access_token", device: "/login/device/code",
    scope: "repo workflow gist", settingsPrefix: "gitHubDev", registration: "/settings/applications/new",
    choices: "tick \"Enable Device Flow\"", needsSecret: true,
    tokenPage: "/settings/tokens/new?description=llavero&scopes=repo,workflow",
    tokenRights: "repo and workflow", importSource: "gh")

  static let gitLab = KnownService(
    name: "GitLab", provider: "gitlab", hosts: ["gitlab.com"], realm: "GitLab", authorize: "/oauth/authorize",
    token: "/oauth/token", device: "/oauth/authorize_device", revoke: "/oauth/revoke",
    scope: "read_repository write_repository", userName: "oauth2", ignoresNamesInURLs: true,
    metadata: "/.well-known/openid-configuration", settingsPrefix: "gitLabDev",
    registration: "/-/user_settings/applications",
    choices: "untick \"Confidential\", tick the scopes read_repository and write_repository",
    needsSecret: false,
    tokenPage: "/-/user_settings/personal_access_tokens?name=llavero&scopes=read_repository,write_repository",
    tokenRights: "read_repository and write_repository", importSource: "glab")

  static let forgejo = KnownService(
    name: "Forgejo", provider: "forgejo", hosts: ["codeberg.org"], realm: "Forgejo",
    authorize: "/login/oauth/authorize", token: "/login/oauth/access_token",
    builtInClient: builtInGiteaClient, scope: "", repositoryDepth: 2,
    registration: "/user/settings/applications", choices: "untick \"Confidential client\"",
    needsSecret: false,
    tokenPage: "/user/settings/applications", tokenRights: "repository: read and write")

  static let gitea = KnownService(
    name: "Gitea", provider: "gitea", hosts: ["gitea.com"], realm: "Gitea",
    authorize: "/login/oauth/authorize", token: "/login/oauth/access_token",
    builtInClient: builtInGiteaClient, scope: "", repositoryDepth: 2,
    registration: "/user/settings/applications", choices: "untick \"Confidential client\"",
    needsSecret: false,
    tokenPage: "/user/settings/applications", tokenRights: "repository: read and write")

  /// The client of every Gitea and Forgejo for git-credential-oauth (docs.gitea.com/development/oauth2-provider,
  /// "Pre-configured Applications"). The consent page names that program.
  private static let builtInGiteaClient = "a4792ccc-144e-407e-86c9-5e7d8d9c3269"

  static let bitbucket = KnownService(
    name: "Bitbucket", provider: "bitbucket", hosts: ["bitbucket.org"], authorize: "/site/oauth2/authorize",
    token: "/site/oauth2/access_token", redirectURI: "http://localhost:34106/", scope: "repository:write",
    userName: "x-token-auth", ignoresNamesInURLs: true, settingsPrefix: "cloudOAuth",
    registration: "/account/settings/",
    choices: "in the workspace's settings, add an OAuth consumer with the permission Repositories: Write",
    needsSecret: true,
    tokenPage: "https://id.atlassian.com/manage-profile/security/api-tokens",
    tokenRights: "read:repository:bitbucket and write:repository:bitbucket")

  static let bitbucketDataCenter = KnownService(
    name: "Bitbucket Data Center", provider: "bitbucket-data-center", hosts: [], realm: "Atlassian Bitbucket",
    authorize: "/rest/oauth2/latest/authorize", token: "/rest/oauth2/latest/token",
    revoke: "/rest/oauth2/latest/revoke", scope: "REPO_WRITE", repositoryDepth: 3, repositoryMark: "scm",
    settingsPrefix: "bitbucketDataCenterOAuth",
    registration: "/plugins/servlet/applinks/listApplicationLinks",
    choices:
      "an administrator adds an external application, incoming, with the permission Repositories: Write",
    needsSecret: true)

  static let azureDevOps = KnownService(
    name: "Azure DevOps", provider: "azure-repos", hosts: ["dev.azure.com", ".visualstudio.com"],
    authorize: "https://login.microsoftonline.com/organizations/oauth2/v2.0/authorize",
    token: "https://login.microsoftonline.com/organizations/oauth2/v2.0/token",
    device: "https://login.microsoftonline.com/organizations/oauth2/v2.0/devicecode",
    redirectURI: "http://localhost", scope: "499b84ac-1321-427f-aa17-267ca6975798/.default offline_access",
    ignoresNamesInURLs: true, registration: "https://entra.microsoft.com/",
    choices: "a public client, with \"Allow public client flows\"", needsSecret: false,
    tokenPage: "/_usersSettings/tokens", tokenRights: "Code: read and write")

  static let google = KnownService(
    name: "Google", provider: "google", hosts: [".googlesource.com"],
    authorize: "https://accounts.google.com/o/oauth2/auth", token: "https://oauth2.googleapis.com/token",
    device: "https://oauth2.googleapis.com/device/code", revoke: "https://oauth2.googleapis.com/revoke",
    scope: "https://www.googleapis.com/auth/gerritcodereview",
    registration: "https://console.cloud.google.com/apis/credentials", choices: "the type \"Desktop app\"",
    needsSecret: true)
}
