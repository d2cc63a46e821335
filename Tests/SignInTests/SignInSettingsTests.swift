import Bytes
import Expectations
import Testing

@testable import SignIn

struct SignInSettingsTests {
  private func found(
    _ url: String, _ settings: [(String, String)], _ variables: [String: String] = [:],
    headers: [String] = [],
    options: SignInMethod.Options = SignInMethod.Options(), over transport: (any Transport)? = nil
  ) throws -> SignInMethod {
    let place = try #require(SignInPlace(url))
    let entries = settings.compactMap { GitSetting($0.0, $0.1) }
    return try SignInMethod.find(
      for: place, CredentialSettings(for: place, entries, variable: { variables[$0] }), options,
      headers: headers,
      over: transport)
  }

  private func whyNot(_ url: String, _ settings: [(String, String)] = [], headers: [String] = []) -> String {
    do {
      _ = try found(url, settings, headers: headers)
      return "found"
    } catch NoSignInMethod.noClient(let service, _) {
      return "no client at \(service?.name ?? "?")"
    } catch NoSignInMethod.unknownPlace {
      return "unknown"
    } catch NoSignInMethod.unusableSetting(let name) {
      return "unusable \(name)"
    } catch {
      return "\(error)"
    }
  }

  private static let own = "credential.https://git.example"

  @Test("a token is for the part of the server whose setting names the client")
  func path() throws {
    func path(_ url: String, _ settings: (String, String)...) throws -> String? {
      try found(url, settings + [("\(Self.own).oauthtokenendpoint", "/t")]).path
    }
    let id = "oauthclientid"
    let deep = "https://git.example/acme/sub/x.git"
    try expect(path(deep, ("\(Self.own).\(id)", "a")), is: nil)
    try expect(path(deep, ("credential.\(id)", "a")), is: nil)
    try expect(path(deep, ("credential.example.\(id)", "a")), is: nil)
    try expect(path(deep, ("\(Self.own).\(id)", "a"), ("\(Self.own)/acme/.\(id)", "b")), is: "acme")
    try expect(path(deep, ("credential.git.example/acme/sub.\(id)", "a")), is: "acme/sub")
    try expect(path(deep, ("\(Self.own).\(id)", "a"), ("\(Self.own)/acme.oauthscopes", "b")), is: nil)
    try expect(
      path(deep, ("\(Self.own)/acme.provider", "gitlab"), ("\(Self.own)/acme.gitlabdevclientid", "a")),
      is: "acme")
    try expect(path(deep, ("\(Self.own)/acme.provider", "gitea")), is: "acme")
  }

  @Test(
    "a service's record says whether a token answers for every name in a URL",
    arguments: [
      ("gitlab.com", "oauth2"), ("bitbucket.org", "x-token-auth"), ("dev.azure.com", "oauth2"),
      ("contoso.visualstudio.com", "oauth2"), ("github.com", nil), ("codeberg.org", nil), ("gitea.com", nil),
      ("x.googlesource.com", nil), ("git.example", nil),
    ] as [(String, String?)])
  func nameForAll(host: String, name: String?) throws {
    expect(KnownService.at(try #require(SignInPlace("https://\(host)")))?.nameForAll, is: name)
    let method = try found(
      "https://\(host)/x", [("credential.oauthclientid", "a"), ("credential.oauthtokenendpoint", "/t")])
    expect(method.client.ignoresNamesInURLs, is: name != nil)
  }

  @Test(
    "mail servers are known by their hosts, in each protocol of mail and in no other",
    arguments: [
      ("imaps://imap.gmail.com", "gmail"), ("smtp://smtp.gmail.com:587", "gmail"),
      ("SMTPS://SMTP.Googlemail.com", "gmail"), ("submission://smtp.office365.com", "outlook"),
      ("imaps://outlook.office365.com", "outlook"), ("pop3s://pop-mail.outlook.com", "outlook"),
      ("imap://imap.mail.yahoo.com", "yahoo"), ("submissions://smtp.aol.com", "aol"),
      ("imaps://imap.fastmail.com", "fastmail"), ("https://imap.gmail.com", nil), ("imaps://github.com", nil),
      ("imaps://gmail.com", nil), ("imaps://imap.gmail.com.example", nil), ("imaps://ximap.gmail.com", nil),
    ] as [(String, String?)])
  func mailServers(url: String, provider: String?) throws {
    expect(KnownService.at(try #require(SignInPlace(url)))?.provider, is: provider)
  }

  @Test("a mail server is a place with the port that the URL has, and its tokens are kept for it alone")
  func mailPlaces() throws {
    let place = try #require(SignInPlace("smtp://Smtp.Example:587/"))
    expect(place.origin, is: "smtp://smtp.example:587")
    expect(place.server.text, is: "https://smtp.example/")
    try expect(#require(SignInPlace("imaps://mail.example:443")).origin, is: "imaps://mail.example:443")
    try expect(#require(SignInPlace("imaps://[::1]:993")).origin, is: "imaps://[::1]:993")
    for wrong in [
      "imaps://", "imaps:mail.example", "imaps://a@mail.example", "imaps://mail.example:0", "smtp://a b",
      "ssh://mail.example",
      "imaps://mail.example:99999", "nntps://mail.example",
    ] {
      expect(SignInPlace(wrong), is: nil, "\(wrong)")
    }
  }

  @Test("one setting names the client for all servers of a mail service, and one for a port comes before it")
  func mailSettings() throws {
    let id = "oauthclientid"
    func client(_ url: String, _ settings: (String, String)...) throws -> String {
      let method = try found(url, settings)
      return method.client.copy().clientID
    }
    let all = ("credential.gmail.com.\(id)", "all")
    for url in ["imaps://imap.gmail.com", "smtp://smtp.gmail.com:587", "pop3s://pop.gmail.com"] {
      try expect(client(url, all), is: "all")
    }
    let port = ("credential.smtp://smtp.gmail.com:587.\(id)", "port")
    try expect(client("smtp://smtp.gmail.com:587", all, port), is: "port")
    try expect(client("smtps://smtp.gmail.com", all, port), is: "all")
    try expect(client("smtp://smtp.gmail.com:587", ("credential.smtp.gmail.com.\(id)", "host")), is: "host")
    // What is set for git's servers says nothing of mail, and the other way.
    try expect(client("imaps://imap.gmail.com", all, ("credential.provider", "github")), is: "all")
    expect(whyNot("https://gmail.com", [all]), is: "unknown")
    expect(whyNot("imaps://mail.example", [("credential.provider", "github")]), is: "unknown")
    let own = try found(
      "imaps://mail.example",
      [("credential.mail.example.provider", "outlook"), ("credential.mail.example.\(id)", "a")])
    let (provider, isClaimed) = (own.service?.provider, own.isClaimed)
    expect(provider == "outlook" && !isClaimed)
    expect(whyNot("imaps://imap.gmail.com"), is: "no client at Gmail")
  }

  @Test("Azure DevOps names the tenant, which is a part of one address, and nothing else")
  func tenant() throws {
    let tenant = "79c4d065-d599-442e-b0ea-c4ab36ad63c3"
    let entra = "https://login.microsoftonline.com"
    func token(_ headers: String..., host: String = "dev.azure.com") throws -> String {
      let method = try found("https://\(host)/acme", [("credential.oauthclientid", "a")], headers: headers)
      let client = method.client.copy()
      let token = client.tokenEndpoint.text
      let (authorize, device) = (client.authorizationEndpoint?.text ?? "", client.deviceEndpoint?.text ?? "")
      let end = "/oauth2/v2.0/token"
      expect(authorize.dropLast("authorize".count), is: token.dropLast("token".count))
      expect(device.dropLast("devicecode".count), is: token.dropLast("token".count))
      expect(token.hasSuffix(end))
      return String(token.dropLast(end.count))
    }
    let named = "Bearer authorization_uri=\(entra)/\(tenant)"
    for headers in [
      [named], ["Basic realm=\"x\"", named],
      ["bearer authorization_uri=\"\(entra)/\(tenant.uppercased())/\", x=\"y\""],
      ["\"\(named)\""], [named, "Bearer authorization_uri=\(entra)/11111111-d599-442e-b0ea-c4ab36ad63c3"],
    ] {
      let method = try found(
        "https://dev.azure.com/acme", [("credential.oauthclientid", "a")], headers: headers)
      expect(method.client.tokenEndpoint.text, is: "\(entra)/\(tenant)/oauth2/v2.0/token")
    }
    try expect(token(named, host: "acme.visualstudio.com"), is: "\(entra)/\(tenant)")
    for other in [
      "https://evil.example/\(tenant)", "\(entra).evil.example/\(tenant)", "\(entra)@evil.example/\(tenant)",
      "http://login.microsoftonline.com/\(tenant)", "\(entra)/\(tenant)/../evil", "\(entra)/\(tenant)?a=b",
      "\(entra)/common", "\(entra)/00000000-0000-0000-0000-000000000000", "\(entra)/", "\(entra)",
      "\(entra)/\(tenant.replacing("7", with: "g"))", "\(entra)/\(tenant)%2f..", "",
    ] {
      try expect(token("Bearer authorization_uri=\(other)"), is: "\(entra)/organizations")
    }
    try expect(token("Basic authorization_uri=\(entra)/\(tenant)"), is: "\(entra)/organizations")
    // Other services have none.
    let google = try found(
      "https://x.googlesource.com", [("credential.oauthclientid", "a")], headers: [named])
    expect(google.client.tokenEndpoint.text, is: "https://oauth2.googleapis.com/token")
  }

  @Test("a service that only says itself what it is has its endpoints below the folder of its repositories")
  func folder() throws {
    func folder(_ path: String, _ realm: String = "Gitea") throws -> [String?] {
      let method = try found("https://git.example\(path)", [], headers: ["Basic realm=\"\(realm)\""])
      let (token, isClaimed) = (method.client.tokenEndpoint.text, method.isClaimed)
      let end = "/login/oauth/access_token"
      expect(isClaimed && token.hasSuffix(end))
      return [String(token.dropLast(end.count)), method.path]
    }
    for realm in ["Gitea", "Forgejo"] {
      try expect(folder("/gitea/acme/app.git", realm), is: ["https://git.example/gitea", "gitea"])
      try expect(folder("/acme/app.git", realm), is: ["https://git.example", nil])
    }
    try expect(folder("/a/b/acme/app"), is: ["https://git.example/a/b", "a/b"])
    try expect(folder("/gitea/acme/app.git/info/lfs"), is: ["https://git.example/gitea", "gitea"])
    for path in ["", "/", "/gitea", "/gitea/acme", "/app.git", "/app.git/info/lfs"] {
      try expect(folder(path), is: ["https://git.example", nil])
    }
    // A setting that names the client is for the place in its name, and comes first.
    let method = try found(
      "https://git.example/gitea/acme/app.git", [("\(Self.own).oauthclientid", "a")],
      headers: ["Basic realm=\"Gitea\""])
    expect(method.client.tokenEndpoint.text, is: "https://git.example/gitea/login/oauth/access_token")
  }

  @Test("a Bitbucket Data Center lies above the mark in the path of its repositories")
  func folderOfBitbucket() throws {
    func folder(_ path: String) throws -> [String?] {
      let method = try found(
        "https://git.example\(path)", [("\(Self.own).oauthclientid", "a")],
        headers: ["Basic realm=\"Atlassian Bitbucket\""])
      let token = method.client.tokenEndpoint.text
      let end = "/rest/oauth2/latest/token"
      let isGuessed = method.isPlaceGuessed
      expect(token.hasSuffix(end) && !isGuessed)
      return [String(token.dropLast(end.count)), method.path]
    }
    try expect(folder("/bitbucket/scm/acme/app.git"), is: ["https://git.example/bitbucket", "bitbucket"])
    try expect(folder("/a/b/scm/~alice/app.git/info/lfs"), is: ["https://git.example/a/b", "a/b"])
    try expect(folder("/bitbucket/scm/acme/app"), is: ["https://git.example/bitbucket", "bitbucket"])
    try expect(folder("/scm/scm/scm/app.git"), is: ["https://git.example/scm", "scm"])
    for path in [
      "", "/scm/acme/app.git", "/scm/scm/app.git", "/bitbucket/acme/app.git", "/x/projects/acme/app",
    ] {
      try expect(folder(path), is: ["https://git.example", nil])
    }
  }

  @Test("a GitLab says in its metadata where it lies, and nobody else does")
  func folderOfGitLab() throws {
    let none = ScriptedTransport.Step.reply(status: 404, "")
    func metadata(_ root: String, _ token: String? = nil) -> ScriptedTransport.Step {
      .reply(
        status: 200,
        """
        {"issuer":"\(root)","authorization_endpoint":"\(root)/oauth/authorize",
        "token_endpoint":"\(token ?? root + "/oauth/token")"}
        """)
    }
    func asked(_ path: String, _ steps: ScriptedTransport.Step...) throws -> [String] {
      let transport = ScriptedTransport(steps)
      let method = try found(
        "https://git.example\(path)", [("\(Self.own).oauthclientid", "a")],
        headers: ["Basic realm=\"GitLab\""], over: transport)
      let token = method.client.tokenEndpoint.text
      expect(token.hasSuffix("/oauth/token"))
      return [String(token.dropLast(12)), "\(method.isPlaceGuessed)", "\(transport.requests.count)"]
    }
    let (host, gitlab) = ("https://git.example", "https://git.example/gitlab")
    // What has two parts lies on the whole server.
    try expect(asked("/acme/app.git"), is: [host, "false", "0"])
    try expect(asked("/acme/app.git/info/lfs"), is: [host, "false", "0"])
    try expect(asked("/acme/sub/app.git", metadata(host)), is: [host, "false", "1"])
    try expect(asked("", metadata(host)), is: [host, "false", "1"])
    try expect(asked("/gitlab/acme/sub/app.git", none, metadata(gitlab)), is: [gitlab, "false", "2"])
    // Another service on the same host doesn't count, nor does a GitLab's text with endpoints elsewhere.
    try expect(
      asked("/gitlab/acme/app.git", metadata(host, host + "/token"), metadata(gitlab)),
      is: [gitlab, "false", "2"])
    try expect(
      asked("/gitlab/acme/app.git", none, metadata(gitlab, "https://evil.example/oauth/token")),
      is: [host, "true", "2"])
    try expect(asked("/gitlab/acme/app.git", metadata(gitlab)), is: [host, "true", "2"])
    try expect(asked("/a/b/c/d/e/app.git").last, is: "4")
    try expect(asked(""), is: [host, "true", "1"])
    // Nobody is asked where a setting says it, as in Git Credential Manager.
    let named = try found(
      "https://git.example/git/acme/app.git",
      [("\(Self.own)/git.provider", "gitlab"), ("\(Self.own)/git.gitlabdevclientid", "a")],
      headers: ["Basic realm=\"GitLab\""], over: ScriptedTransport([]))
    expect(named.client.tokenEndpoint.text, is: "https://git.example/git/oauth/token")
    let isGuessed = named.isPlaceGuessed
    expect(!isGuessed)
  }

  @Test("a host with letters beyond ASCII has the settings of each of its forms")
  func forms() throws {
    for url in ["https://b%C3%BCcher.example/x", "https://xn--bcher-kva.example/x"] {
      for name in ["https://bücher.example", "https://xn--bcher-kva.example", "bücher.example"] {
        let method = try found(
          url, [("credential.\(name).oauthclientid", "a"), ("credential.\(name).provider", "gitlab")])
        expect(method.client.tokenEndpoint.text, is: "https://xn--bcher-kva.example/oauth/token")
      }
    }
    let other = [("credential.https://buecher.example.provider", "x")]
    expect(whyNot("https://b%C3%BCcher.example", other), is: "unknown")
  }

  @Test("the settings of Git Credential Manager")
  func gcm() throws {
    let method = try found(
      "https://git.example/acme/x",
      [
        ("\(Self.own).oauthclientid", "id"), ("\(Self.own).oauthclientsecret", "hush"),
        ("\(Self.own).oauthauthorizeendpoint", "/a"),
        ("\(Self.own).oauthtokenendpoint", "https://login.example/t"),
        ("\(Self.own).oauthdeviceendpoint", "d"), ("\(Self.own).oauthredirecturi", "http://localhost:99/x"),
        ("\(Self.own).oauthscopes", "a b"), ("\(Self.own).oauthdefaultusername", "me"),
        ("\(Self.own).oauthuseclientauthheader", "false"), ("\(Self.own).oauthauthmodes", "devicecode"),
      ])
    expect(method.client.clientID, is: "id")
    expect(text(method.client.clientSecret), is: "hush")
    expect(method.client.authorizationEndpoint?.text, is: "https://git.example/a")
    expect(method.client.tokenEndpoint.text, is: "https://login.example/t")
    expect(method.client.deviceEndpoint?.text, is: "https://git.example/d")
    expect(method.client.redirectURI, is: "http://localhost:99/x")
    expect(method.client.scope, is: "a b")
    expect(method.client.userName, is: "me")
    expect(method.client.authentication, is: .body)
    expect(method.ways, is: [.device])
  }

  @Test("the settings of git-credential-oauth")
  func gco() throws {
    let method = try found(
      "https://git.example",
      [
        ("\(Self.own).oauthclientid", "id"), ("\(Self.own).oauthauthurl", "/a"),
        ("\(Self.own).oauthtokenurl", "/t"),
        ("\(Self.own).oauthdeviceauthurl", "/d"), ("\(Self.own).oauthredirecturl", "http://127.0.0.1:1/"),
      ])
    expect(method.client.authorizationEndpoint?.text, is: "https://git.example/a")
    expect(method.client.deviceEndpoint?.text, is: "https://git.example/d")
    expect(method.client.redirectURI, is: "http://127.0.0.1:1/")
    expect(method.ways, is: [.browser, .device])
  }

  @Test("the most specific place counts, with or without the scheme")
  func places() throws {
    let endpoints = [("credential.oauthtokenendpoint", "/t")]
    func client(_ settings: [(String, String)], at url: String = "https://git.corp.example:8443/a/b") throws
      -> String
    {
      try found(url, endpoints + settings).client.clientID
    }
    var settings = [("credential.oauthclientid", "any")]
    try expect(client(settings), is: "any")
    for (name, value) in [
      ("example:8443", "top"), ("corp.example:8443", "parent"), ("https://corp.example:8443", "parent2"),
      ("*.corp.example:8443", "star"), ("git.corp.example:8443", "host"),
      ("https://git.corp.example:8443/", "host2"),
      ("https://git.corp.example:8443/a", "path"), ("https://git.corp.example:8443/a/b", "whole"),
    ] {
      settings.append(("credential.\(name).oauthclientid", value))
      try expect(client(settings), is: value)
    }
    try expect(client(settings, at: "https://other.example:8443"), is: "top")
    try expect(client(settings, at: "https://evilcorp.example:8443"), is: "top")
    try expect(client(settings, at: "https://git.corp.example/a/b"), is: "any")
  }

  @Test("the last of several values counts, and an empty one unsets it")
  func repeated() throws {
    let token = ("\(Self.own).oauthtokenendpoint", "/t")
    try expect(
      found(
        "https://git.example",
        [token, ("\(Self.own).oauthclientid", "a"), ("\(Self.own).oauthclientid", "b")]
      )
      .client.clientID, is: "b")
    expect(
      whyNot(
        "https://git.example", [token, ("\(Self.own).oauthclientid", "a"), ("\(Self.own).oauthclientid", "")]),
      is: "no client at ?")
  }

  @Test("variables count before settings")
  func variables() throws {
    let method = try found(
      "https://git.example", [("\(Self.own).oauthclientid", "id"), ("\(Self.own).oauthtokenendpoint", "/t")],
      ["GCM_OAUTH_CLIENTID": "other", "GCM_OAUTH_SCOPES": "s"])
    expect(method.client.clientID, is: "other")
    expect(method.client.scope, is: "s")
  }

  @Test("known services")
  func services() throws {
    expect(whyNot("https://github.com"), is: "no client at GitHub")
    expect(whyNot("https://gitlab.com"), is: "no client at GitLab")
    expect(whyNot("https://acme.visualstudio.com"), is: "no client at Azure DevOps")
    expect(whyNot("https://visualstudio.com.evil.example"), is: "unknown")
    expect(whyNot("https://git.example"), is: "unknown")
    expect(whyNot("https://git.example", headers: ["Basic realm=\"GitLab\""]), is: "no client at GitLab")
    let forgejo = try found("https://codeberg.org", [])
    expect(forgejo.client.tokenEndpoint.text, is: "https://codeberg.org/login/oauth/access_token")
    let gitea = try found("https://git.example", [], headers: ["Bearer", "Basic realm=\"Gitea\""])
    expect(gitea.client.tokenEndpoint.text, is: "https://git.example/login/oauth/access_token")
    let gitHub = try found(
      "https://github.com/acme", [("credential.https://github.com.githubdevclientid", "id")])
    expect(gitHub.client.clientID, is: "id")
    let named = try found(
      "https://git.example", [("\(Self.own).provider", "gitlab"), ("\(Self.own).oauthclientid", "id")])
    expect(named.client.deviceEndpoint?.text, is: "https://git.example/oauth/authorize_device")
    expect(named.client.userName, is: "oauth2")
  }

  @Test("settings for every server name none, so that only a server's own word is left")
  func claimed() throws {
    let every = [
      ("credential.oauthclientid", "id"), ("credential.oauthclientsecret", "hush"),
      ("credential.oauthauthorizeendpoint", "/a"), ("credential.oauthtokenendpoint", "/t"),
    ]
    let gitea = ["Basic realm=\"Gitea\""]
    try expect(found("https://git.example", every, headers: gitea).isClaimed)
    try expect(found("https://git.example", every).isClaimed)
    try expect(found("https://git.example", every + [("credential.provider", "gitlab")]).isClaimed)
    try expect(found("https://git.example", every + [("\(Self.own).oauthscopes", "s")]).isClaimed)
    try expect(found("https://git.example", [], headers: gitea).isClaimed)
    for name in ["oauthclientid", "oauthtokenendpoint", "oauthtokenurl"] {
      try expect(!found("https://git.example/acme", every + [("\(Self.own).\(name)", "/t")]).isClaimed)
    }
    try expect(!found("https://git.example", every + [("\(Self.own).provider", "gitlab")]).isClaimed)
    try expect(!found("https://git.example", every + [("credential.example.oauthclientid", "id")]).isClaimed)
    try expect(found("https://other.test", every + [("\(Self.own).oauthclientid", "id")]).isClaimed)
    // The table of services names it, or the person.
    try expect(!found("https://gitlab.com", every).isClaimed)
    try expect(
      !found("https://git.example", every, options: SignInMethod.Options(clientID: "typed")).isClaimed)
  }

  @Test("a service below a path has its endpoints there")
  func belowPath() throws {
    let gitea = try found(
      "https://git.example/gitea/acme/app.git", [("\(Self.own)/gitea.provider", "gitea")])
    expect(gitea.client.tokenEndpoint.text, is: "https://git.example/gitea/login/oauth/access_token")
    expect(gitea.client.authorizationEndpoint?.text, is: "https://git.example/gitea/login/oauth/authorize")
    let isTrusted = !gitea.isClaimed
    expect(isTrusted)
    let root = try found("https://git.example/acme/app.git", [("\(Self.own).provider", "gitea")])
    expect(root.client.tokenEndpoint.text, is: "https://git.example/login/oauth/access_token")
    // The table knows where these are.
    let hosted = try found(
      "https://codeberg.org/acme/app.git", [("credential.https://codeberg.org/acme.provider", "forgejo")])
    expect(hosted.client.tokenEndpoint.text, is: "https://codeberg.org/login/oauth/access_token")
    let body =
      #"{"issuer":"https://git.example/gitea","token_endpoint":"https://git.example/gitea/t"}"#
    let transport = ScriptedTransport([
      .reply(status: 404, ""), .reply(status: 404, ""), .reply(status: 404, ""), .reply(status: 200, body),
    ])
    let method = try found(
      "https://git.example/gitea/acme", [("\(Self.own).oauthclientid", "id")], over: transport)
    expect(method.client.issuer, is: "https://git.example/gitea")
    expect(
      transport.requests.last, is: "https://git.example/gitea/.well-known/openid-configuration ")
  }

  @Test("a provider is one of the table, or none at all, and never what a server calls itself instead")
  func providers() throws {
    let gitea = ["Basic realm=\"Gitea\""]
    for (provider, outcome) in [
      ("generic", "unknown"), ("Generic", "unknown"), ("gitaly", "unusable provider"), ("auto", "found"),
      ("", "found"),
      ("gitea", "found"),
    ] {
      expect(whyNot("https://git.example", [("\(Self.own).provider", provider)], headers: gitea), is: outcome)
    }
    // With endpoints and a client, a generic one is whole; its settings name the server, and its name alone doesn't.
    let every = [("credential.oauthclientid", "id"), ("credential.oauthtokenendpoint", "/t")]
    try expect(found("https://git.example", every + [("\(Self.own).provider", "generic")]).isClaimed)
    try expect(
      found("https://git.example", every + [("\(Self.own).provider", "auto")], headers: gitea).isClaimed)
    let own = [("\(Self.own).oauthclientid", "id"), ("\(Self.own).oauthtokenendpoint", "/t")]
    let generic = try found(
      "https://git.example", own + [("\(Self.own).provider", "generic")], headers: gitea)
    let isOfNoService = generic.service == nil
    expect(isOfNoService)
    let isTrusted = !generic.isClaimed
    expect(isTrusted)
    expect(generic.client.tokenEndpoint.text, is: "https://git.example/t")
  }

  @Test("an empty client takes the built-in one away")
  func noClient() {
    let gitea = ("\(Self.own).provider", "gitea")
    expect(whyNot("https://git.example", [gitea]), is: "found")
    expect(
      whyNot("https://git.example", [gitea, ("\(Self.own).oauthclientid", "")]), is: "no client at Gitea")
    expect(
      whyNot("https://git.example", [gitea, ("credential.oauthclientid", "")]), is: "no client at Gitea")
    expect(
      whyNot(
        "https://git.example",
        [gitea, ("credential.oauthclientid", ""), ("\(Self.own).oauthclientid", "id")]), is: "found")
  }

  @Test("git's own patterns are meant as git means them")
  func patterns() throws {
    let endpoints = [("credential.oauthtokenendpoint", "/t"), ("credential.oauthclientid", "any")]
    for (pattern, url, isMeant) in [
      ("https://git.example:443", "https://git.example/a", true),
      ("https://GIT.example", "https://git.example", true),
      ("https://*.*.example", "https://git.corp.example", true),
      ("https://git.*.example:8443", "https://git.corp.example:8443", true),
      ("https://git.*.example", "https://git.corp.example:8443", false),
      ("https://git.example/a/b", "https://git.example/a%2Fb/c", true),
      ("https://git.example/%61", "https://git.example/a/c", true),
      ("https://git.example/A", "https://git.example/a", false),
      ("https://git.example/a", "https://git.example/ab", false),
      ("https://alice@git.example", "https://git.example", false),
      ("http://git.example", "https://git.example", false),
    ] {
      let client = try found(url, endpoints + [("credential.\(pattern).oauthclientid", "own")]).client
        .clientID
      expect(client == "own", is: isMeant, "\(pattern) for \(url)")
    }
  }

  @Test("who says that nobody is to be asked, for one place or for all")
  func questions() throws {
    let place = try #require(SignInPlace("https://git.example/acme"))
    func forbidden(_ settings: [(String, String)], _ variables: [String: String] = [:]) -> Bool {
      let entries = settings.compactMap { GitSetting($0.0, $0.1) }
      return CredentialSettings(for: place, entries, variable: { variables[$0] }).forbidsQuestions != nil
    }
    let never = ("credential.interactive", "never")
    expect(!forbidden([]))
    expect(forbidden([never]))
    expect(forbidden([("\(Self.own).interactive", "false")]))
    expect(!forbidden([("credential.https://other.example.interactive", "false")]))
    expect(!forbidden([never, ("\(Self.own).interactive", "auto")]))
    expect(forbidden([], ["GCM_INTERACTIVE": "0"]))
    expect(forbidden([("\(Self.own).interactive", "true")], ["GCM_INTERACTIVE": "Never"]))
    expect(!forbidden([never], ["GCM_INTERACTIVE": "1"]))
  }

  @Test("a server's own name for itself leads to no other server")
  func realms() {
    for realm in ["Azure DevOps", "https://evil.example", "Google", ""] {
      expect(whyNot("https://git.example", headers: ["Basic realm=\"\(realm)\""]), is: "unknown")
    }
  }

  @Test("unsafe endpoints are refused")
  func unsafe() {
    for (name, value) in [
      ("oauthtokenendpoint", "http://git.example/t"), ("oauthtokenendpoint", "//evil.example/t"),
    ] {
      expect(
        whyNot("https://git.example", [("\(Self.own).oauthclientid", "id"), ("\(Self.own).\(name)", value)]),
        is: "unusable oauthTokenEndpoint")
    }
    expect(SignInPlace("http://git.example"), is: nil)
  }

  @Test("the server's metadata, if nothing else says its endpoints")
  func discovery() throws {
    let body =
      #"{"issuer":"https://git.example","token_endpoint":"https://git.example/t","authorization_endpoint":"https://git.example/a"}"#
    let transport = ScriptedTransport([.reply(status: 404, ""), .reply(status: 200, body)])
    let method = try found("https://git.example/acme", [("\(Self.own).oauthclientid", "id")], over: transport)
    expect(method.client.issuer, is: "https://git.example")
    expect(
      transport.requests,
      is: [
        "https://git.example/.well-known/oauth-authorization-server ",
        "https://git.example/.well-known/openid-configuration ",
      ])
  }

  @Test("a registration comes back as it was written")
  func registration() throws {
    let client = try client {
      $0.clientSecret = Secret("h\"ush\u{e4}")
      $0.authentication = .body
      $0.issuer = "https://git.example"
      $0.promisesIssuer = true
      $0.scope = "a b"
      $0.userName = "me"
      $0.ignoresNamesInURLs = true
      $0.redirectURI = "http://localhost:1"
      $0.revocationEndpoint = EndpointURL("https://git.example/r")
    }
    let read = try client.encoded.withUnsafeBytes { (bytes) throws(JSONReader.Malformed) in
      try ClientRegistration(json: bytes)
    }
    expect(shown(read.encoded), is: shown(client.encoded))
  }

  @Test("work and outcomes come back as they were written")
  func messages() throws {
    var work = SignInWork(.signIn, at: "https://git.example/a")
    work.client = try client()
    work.refreshToken = Secret("r\"\u{7f}")
    work.accessToken = Secret("a")
    work.account = ByteString([0xff, 0x22])
    work.headers = ["Basic realm=\"x\""]
    work.way = .paste
    work.options.clientID = "id"
    work.options.scope = "s"
    work.onlyIfConfigured = true
    work.mayUseTerminal = false
    let read = try work.encoded.withUnsafeBytes { (bytes) throws(JSONReader.Malformed) in
      try SignInWork(parsing: bytes)
    }
    expect(shown(read.encoded), is: shown(work.encoded))
    let isKept = !read.mayUseTerminal
    expect(isKept)
    var tokens = SignedIn(
      accessToken: Secret("a"), refreshToken: Secret("r"), expiry: 7, account: "me", client: try client())
    tokens.path = "acme"
    let outcome = SignInOutcome.tokens(tokens)
    let readOutcome = try outcome.encoded.withUnsafeBytes { (bytes) throws(JSONReader.Malformed) in
      try SignInOutcome(parsing: bytes)
    }
    expect(shown(readOutcome.encoded), is: shown(outcome.encoded))
  }
}
