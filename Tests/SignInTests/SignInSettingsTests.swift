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

  private static let own = "credential.https://git.example"

  @Test("what settings, and what a server says of itself, make of a place", arguments: rows)
  func meaning(row: Row) throws {
    var words = row.words.split(separator: " ").map(String.init)
    let url = words.removeFirst()
    var (settings, variables, headers): ([(String, String)], [String: String], [String]) = (
      [], [:], []
    )
    var options = SignInMethod.Options()
    for word in words.flatMap({ $0 == "EVERY" ? Self.every : [$0] }) {
      guard let equals = word.firstIndex(of: "=") else {
        headers.append(word == "Bearer" ? word : "Basic realm=\(word.spaced)")
        continue
      }
      let (name, value) = (String(word[..<equals]), String(word[equals...].dropFirst()).spaced)
      switch name {
      case "--client": options.clientID = value
      case _ where name.hasPrefix("$"): variables[String(name.dropFirst())] = value
      default: settings.append((Self.setting(name), value))
      }
    }
    let facts: [String: String]
    do {
      let place = url == "." ? "" : url
      let method = try found(
        url.contains(":") ? url : "https://git.example\(place)", settings, variables,
        headers: headers,
        options: options)
      facts = Self.facts(method)
    } catch {
      facts = ["no": Self.refusal(error)]
    }
    for fact in row.facts.split(separator: " ") {
      let equals = try #require(fact.firstIndex(of: "="))
      let name = String(fact[..<equals])
      expect(
        facts[name], is: String(fact[equals...].dropFirst()).spaced,
        "\(name) of \(row.words): \(facts)")
    }
  }

  /// `own` is the place of the test's server, and `id` and `token` are short for two settings.
  private static func setting(_ name: String) -> String {
    let dot = name.lastIndex(of: ".")
    let key = dot.map { name[$0...].dropFirst() } ?? name[...]
    let place = dot.map { name[..<$0] } ?? ""
    let whole = place.hasPrefix("own") ? "https://git.example" + place.dropFirst(3) : String(place)
    let long = ["id": "oauthclientid", "token": "oauthtokenendpoint"][String(key)] ?? String(key)
    return "credential." + (whole.isEmpty ? "" : whole + ".") + long
  }

  private static func facts(_ method: borrowing SignInMethod) -> [String: String] {
    func below(_ url: EndpointURL?) -> String {
      (url?.text ?? "-").replacing("https://git.example/", with: "/")
    }
    var facts = ["claimed": "\(method.isClaimed)", "guessed": "\(method.isPlaceGuessed)"]
    facts["path"] = method.path ?? "-"
    facts["service"] = method.service?.provider ?? "-"
    facts["ways"] = method.ways.map(\.rawValue).sorted().joined(separator: ",")
    facts["id"] = method.client.clientID
    facts["secret"] = text(method.client.clientSecret) ?? "-"
    facts["token"] = below(method.client.tokenEndpoint)
    facts["authorize"] = below(method.client.authorizationEndpoint)
    facts["device"] = below(method.client.deviceEndpoint)
    facts["redirect"] = method.client.redirectURI
    facts["scope"] = method.client.scope
    facts["user"] = method.client.userName
    facts["authentication"] = "\(method.client.authentication)"
    return facts
  }

  private static func refusal(_ error: any Error) -> String {
    switch error {
    case NoSignInMethod.noClient(let service, _): "no client at \(service?.name ?? "?")"
    case NoSignInMethod.unknownPlace: "unknown"
    case NoSignInMethod.unusableSetting(let name): "unusable \(name)"
    default: "\(error)"
    }
  }

  /// A place with settings and headers, and what is known of it then.
  struct Row: Sendable, CustomTestStringConvertible {
    let words: String
    let facts: String
    var testDescription: String { words }
  }

  /// Settings for all servers.
  private static let every = [
    "id=id", "oauthclientsecret=hush", "oauthauthorizeendpoint=/a", "token=/t",
  ]

  /// A line goes on in the next one that is indented.
  static let rows =
    """
    # A token is for the part of the server whose setting names the client.
    /acme/sub/x.git own.token=/t own.id=a -> path=-
    /acme/sub/x.git own.token=/t id=a -> path=-
    /acme/sub/x.git own.token=/t example.id=a -> path=-
    /acme/sub/x.git own.token=/t own.id=a own/acme/.id=b -> path=acme
    /acme/sub/x.git own.token=/t git.example/acme/sub.id=a -> path=acme/sub
    /acme/sub/x.git own.token=/t own.id=a own/acme.oauthscopes=b -> path=-
    /acme/sub/x.git own.token=/t own/acme.provider=gitlab own/acme.gitlabdevclientid=a -> path=acme
    /acme/sub/x.git own.token=/t own/acme.provider=gitea -> path=acme
    # One setting names the client for all servers of a mail service, and one for a port comes before it.
    imaps://imap.gmail.com gmail.com.id=all -> id=all
    smtp://smtp.gmail.com:587 gmail.com.id=all -> id=all
    pop3s://pop.gmail.com gmail.com.id=all -> id=all
    smtp://smtp.gmail.com:587 gmail.com.id=all smtp://smtp.gmail.com:587.id=port -> id=port
    smtps://smtp.gmail.com gmail.com.id=all smtp://smtp.gmail.com:587.id=port -> id=all
    smtp://smtp.gmail.com:587 smtp.gmail.com.id=host -> id=host
    # What is set for git's servers says nothing of mail, and the other way.
    imaps://imap.gmail.com gmail.com.id=all provider=github -> id=all
    https://gmail.com gmail.com.id=all -> no=unknown
    imaps://mail.example provider=github -> no=unknown
    imaps://mail.example mail.example.provider=outlook mail.example.id=a -> service=outlook claimed=false
    imaps://imap.gmail.com -> no=no%20client%20at%20Gmail
    # A service that only says itself what it is has its endpoints below the folder of its repositories.
    /gitea/acme/app.git "Gitea" -> token=/gitea/login/oauth/access_token path=gitea claimed=true
    /gitea/acme/app.git "Forgejo" -> token=/gitea/login/oauth/access_token path=gitea claimed=true
    /acme/app.git "Gitea" -> token=/login/oauth/access_token path=- claimed=true
    /acme/app.git "Forgejo" -> token=/login/oauth/access_token path=- claimed=true
    /a/b/acme/app "Gitea" -> token=/a/b/login/oauth/access_token path=a/b claimed=true
    /gitea/acme/app.git/info/lfs "Gitea" -> token=/gitea/login/oauth/access_token path=gitea claimed=true
    . "Gitea" -> token=/login/oauth/access_token path=- claimed=true
    / "Gitea" -> token=/login/oauth/access_token path=- claimed=true
    /gitea "Gitea" -> token=/login/oauth/access_token path=- claimed=true
    /gitea/acme "Gitea" -> token=/login/oauth/access_token path=- claimed=true
    /app.git "Gitea" -> token=/login/oauth/access_token path=- claimed=true
    /app.git/info/lfs "Gitea" -> token=/login/oauth/access_token path=- claimed=true
    # A setting that names the client is for the place in its name, and comes first.
    /gitea/acme/app.git own.id=a "Gitea" -> token=/gitea/login/oauth/access_token
    # A Bitbucket Data Center lies above the mark in the path of its repositories.
    /bitbucket/scm/acme/app.git own.id=a "Atlassian%20Bitbucket" ->
      token=/bitbucket/rest/oauth2/latest/token path=bitbucket guessed=false
    /a/b/scm/~alice/app.git/info/lfs own.id=a "Atlassian%20Bitbucket" ->
      token=/a/b/rest/oauth2/latest/token path=a/b guessed=false
    /bitbucket/scm/acme/app own.id=a "Atlassian%20Bitbucket" ->
      token=/bitbucket/rest/oauth2/latest/token path=bitbucket guessed=false
    /scm/scm/scm/app.git own.id=a "Atlassian%20Bitbucket" ->
      token=/scm/rest/oauth2/latest/token path=scm guessed=false
    . own.id=a "Atlassian%20Bitbucket" -> token=/rest/oauth2/latest/token path=- guessed=false
    /scm/acme/app.git own.id=a "Atlassian%20Bitbucket" -> token=/rest/oauth2/latest/token path=- guessed=false
    /scm/scm/app.git own.id=a "Atlassian%20Bitbucket" -> token=/rest/oauth2/latest/token path=- guessed=false
    /bitbucket/acme/app.git own.id=a "Atlassian%20Bitbucket" ->
      token=/rest/oauth2/latest/token path=- guessed=false
    /x/projects/acme/app own.id=a "Atlassian%20Bitbucket" ->
      token=/rest/oauth2/latest/token path=- guessed=false
    # A host with letters beyond ASCII has the settings of each of its forms.
    https://b%C3%BCcher.example/x https://bücher.example.id=a https://bücher.example.provider=gitlab ->
      token=https://xn--bcher-kva.example/oauth/token
    https://b%C3%BCcher.example/x https://xn--bcher-kva.example.id=a https://xn--bcher-kva.example.provider=gitlab ->
      token=https://xn--bcher-kva.example/oauth/token
    https://xn--bcher-kva.example/x https://bücher.example.id=a https://bücher.example.provider=gitlab ->
      token=https://xn--bcher-kva.example/oauth/token
    https://xn--bcher-kva.example/x bücher.example.id=a bücher.example.provider=gitlab ->
      token=https://xn--bcher-kva.example/oauth/token
    https://b%C3%BCcher.example https://buecher.example.provider=x -> no=unknown
    # The settings of Git Credential Manager, and of git-credential-oauth.
    /acme/x own.id=id own.oauthclientsecret=hush own.oauthauthorizeendpoint=/a own.token=https://login.example/t
      own.oauthdeviceendpoint=d own.oauthredirecturi=http://localhost:99/x own.oauthscopes=a%20b
      own.oauthdefaultusername=me own.oauthuseclientauthheader=false own.oauthauthmodes=devicecode ->
      id=id secret=hush authorize=/a token=https://login.example/t device=/d redirect=http://localhost:99/x
      scope=a%20b user=me authentication=body ways=device
    . own.id=id own.oauthauthurl=/a own.oauthtokenurl=/t own.oauthdeviceauthurl=/d
      own.oauthredirecturl=http://127.0.0.1:1/ ->
      authorize=/a device=/d redirect=http://127.0.0.1:1/ ways=browser,device
    # The last of several values counts, and an empty one unsets it; variables count before settings.
    . own.token=/t own.id=a own.id=b -> id=b
    . own.token=/t own.id=a own.id= -> no=no%20client%20at%20?
    . own.id=id own.token=/t $GCM_OAUTH_CLIENTID=other $GCM_OAUTH_SCOPES=s -> id=other scope=s
    # Known services.
    https://github.com -> no=no%20client%20at%20GitHub
    https://gitlab.com -> no=no%20client%20at%20GitLab
    https://acme.visualstudio.com -> no=no%20client%20at%20Azure%20DevOps
    https://visualstudio.com.evil.example -> no=unknown
    . -> no=unknown
    . "GitLab" -> no=no%20client%20at%20GitLab
    https://codeberg.org -> token=https://codeberg.org/login/oauth/access_token
    . Bearer "Gitea" -> token=/login/oauth/access_token
    https://github.com/acme https://github.com.githubdevclientid=id -> id=id
    . own.provider=gitlab own.id=id -> device=/oauth/authorize_device user=oauth2
    # Settings for every server name none, so that only a server's own word is left.
    . EVERY "Gitea" -> claimed=true
    . EVERY -> claimed=true
    . EVERY provider=gitlab -> claimed=true
    . EVERY own.oauthscopes=s -> claimed=true
    /acme EVERY own.id=/t -> claimed=false
    /acme EVERY own.token=/t -> claimed=false
    /acme EVERY own.oauthtokenurl=/t -> claimed=false
    . EVERY own.provider=gitlab -> claimed=false
    . EVERY example.id=id -> claimed=false
    https://other.test EVERY own.id=id -> claimed=true
    # The table of services names it, or the person.
    https://gitlab.com EVERY -> claimed=false
    . EVERY --client=typed -> claimed=false id=typed
    # A service below a path has its endpoints there, unless the table knows where they are.
    /gitea/acme/app.git own/gitea.provider=gitea ->
      token=/gitea/login/oauth/access_token authorize=/gitea/login/oauth/authorize claimed=false
    /acme/app.git own.provider=gitea -> token=/login/oauth/access_token
    https://codeberg.org/acme/app.git https://codeberg.org/acme.provider=forgejo ->
      token=https://codeberg.org/login/oauth/access_token
    # A provider is one of the table, or none at all, and never what a server calls itself instead.
    . own.provider=generic "Gitea" -> no=unknown
    . own.provider=Generic "Gitea" -> no=unknown
    . own.provider=gitaly "Gitea" -> no=unusable%20provider
    . own.provider=auto "Gitea" -> service=gitea
    . own.provider= "Gitea" -> service=gitea
    . own.provider=gitea "Gitea" -> service=gitea
    # With endpoints and a client, a generic one is whole; its settings name the server, and its name alone doesn't.
    . id=id token=/t own.provider=generic -> claimed=true
    . id=id token=/t own.provider=auto "Gitea" -> claimed=true
    . own.id=id own.token=/t own.provider=generic "Gitea" -> service=- claimed=false token=/t
    # An empty client takes the built-in one away.
    . own.provider=gitea -> service=gitea
    . own.provider=gitea own.id= -> no=no%20client%20at%20Gitea
    . own.provider=gitea id= -> no=no%20client%20at%20Gitea
    . own.provider=gitea id= own.id=id -> id=id
    # Git's own patterns are meant as git means them.
    /a token=/t id=any https://git.example:443.id=own -> id=own
    . token=/t id=any https://GIT.example.id=own -> id=own
    https://git.corp.example token=/t id=any https://*.*.example.id=own -> id=own
    https://git.corp.example:8443 token=/t id=any https://git.*.example:8443.id=own -> id=own
    https://git.corp.example:8443 token=/t id=any https://git.*.example.id=own -> id=any
    /a%2Fb/c token=/t id=any https://git.example/a/b.id=own -> id=own
    /a/c token=/t id=any https://git.example/%61.id=own -> id=own
    /a token=/t id=any https://git.example/A.id=own -> id=any
    /ab token=/t id=any https://git.example/a.id=own -> id=any
    . token=/t id=any https://alice@git.example.id=own -> id=any
    . token=/t id=any http://git.example.id=own -> id=any
    # A server's own name for itself leads to no other server, and no endpoint is without TLS or elsewhere.
    . "Azure%20DevOps" -> no=unknown
    . "https://evil.example" -> no=unknown
    . "Google" -> no=unknown
    . "" -> no=unknown
    . own.id=id own.token=http://git.example/t -> no=unusable%20oauthTokenEndpoint
    . own.id=id own.token=//evil.example/t -> no=unusable%20oauthTokenEndpoint
    """.replacing("\n  ", with: " ").split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
      line in
      let arrow = line.firstRange(of: "->") ?? line.endIndex..<line.endIndex
      return Row(words: String(line[..<arrow.lowerBound]), facts: String(line[arrow.upperBound...]))
    }

  @Test(
    "a service's record says whether a token answers for every name in a URL",
    arguments: [
      ("gitlab.com", "oauth2"), ("bitbucket.org", "x-token-auth"), ("dev.azure.com", "oauth2"),
      ("contoso.visualstudio.com", "oauth2"), ("github.com", nil), ("codeberg.org", nil),
      ("gitea.com", nil),
      ("x.googlesource.com", nil), ("git.example", nil),
    ] as [(String, String?)])
  func nameForAll(host: String, name: String?) throws {
    expect(KnownService.at(try #require(SignInPlace("https://\(host)")))?.nameForAll, is: name)
    let method = try found(
      "https://\(host)/x",
      [("credential.oauthclientid", "a"), ("credential.oauthtokenendpoint", "/t")])
    expect(method.client.ignoresNamesInURLs, is: name != nil)
  }

  @Test(
    "mail servers are known by their hosts, in each protocol of mail and in no other",
    arguments: [
      ("imaps://imap.gmail.com", "gmail"), ("smtp://smtp.gmail.com:587", "gmail"),
      ("SMTPS://SMTP.Googlemail.com", "gmail"), ("submission://smtp.office365.com", "outlook"),
      ("imaps://outlook.office365.com", "outlook"), ("pop3s://pop-mail.outlook.com", "outlook"),
      ("imap://imap.mail.yahoo.com", "yahoo"), ("submissions://smtp.aol.com", "aol"),
      ("imaps://imap.fastmail.com", "fastmail"), ("https://imap.gmail.com", nil),
      ("imaps://github.com", nil),
      ("imaps://gmail.com", nil), ("imaps://imap.gmail.com.example", nil),
      ("imaps://ximap.gmail.com", nil),
    ] as [(String, String?)])
  func mailServers(url: String, provider: String?) throws {
    expect(KnownService.at(try #require(SignInPlace(url)))?.provider, is: provider)
  }

  @Test(
    "a mail server is a place with the port that the URL has, and its tokens are kept for it alone")
  func mailPlaces() throws {
    let place = try #require(SignInPlace("smtp://Smtp.Example:587/"))
    expect(place.origin, is: "smtp://smtp.example:587")
    expect(place.server.text, is: "https://smtp.example/")
    try expect(
      #require(SignInPlace("imaps://mail.example:443")).origin, is: "imaps://mail.example:443")
    try expect(#require(SignInPlace("imaps://[::1]:993")).origin, is: "imaps://[::1]:993")
    for url in ["imaps://imap.gmail.com", "smtp://smtp.gmail.com:587"] {
      try expect(#require(SignInPlace(url)).settingsSection, is: "credential.gmail.com")
    }
    expect(place.settingsSection, is: "credential.smtp.example")
    try expect(
      #require(SignInPlace("https://git.example:8443/a")).settingsSection,
      is: "credential.https://git.example:8443")
    for wrong in [
      "imaps://", "imaps:mail.example", "imaps://a@mail.example", "imaps://mail.example:0",
      "smtp://a b",
      "ssh://mail.example", "http://git.example",
      "imaps://mail.example:99999", "nntps://mail.example",
    ] {
      expect(SignInPlace(wrong), is: nil, "\(wrong)")
    }
  }

  @Test("Azure DevOps names the tenant, which is a part of one address, and nothing else")
  func tenant() throws {
    let tenant = "79c4d065-d599-442e-b0ea-c4ab36ad63c3"
    let entra = "https://login.microsoftonline.com"
    func token(_ headers: String..., host: String = "dev.azure.com") throws -> String {
      let method = try found(
        "https://\(host)/acme", [("credential.oauthclientid", "a")], headers: headers)
      let client = method.client.copy()
      let token = client.tokenEndpoint.text
      let (authorize, device) = (
        client.authorizationEndpoint?.text ?? "", client.deviceEndpoint?.text ?? ""
      )
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
      ["\"\(named)\""],
      [named, "Bearer authorization_uri=\(entra)/11111111-d599-442e-b0ea-c4ab36ad63c3"],
    ] {
      let method = try found(
        "https://dev.azure.com/acme", [("credential.oauthclientid", "a")], headers: headers)
      expect(method.client.tokenEndpoint.text, is: "\(entra)/\(tenant)/oauth2/v2.0/token")
    }
    try expect(token(named, host: "acme.visualstudio.com"), is: "\(entra)/\(tenant)")
    for other in [
      "https://evil.example/\(tenant)", "\(entra).evil.example/\(tenant)",
      "\(entra)@evil.example/\(tenant)",
      "http://login.microsoftonline.com/\(tenant)", "\(entra)/\(tenant)/../evil",
      "\(entra)/\(tenant)?a=b",
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
      return [
        String(token.dropLast(12)), "\(method.isPlaceGuessed)", "\(transport.requests.count)",
      ]
    }
    let (host, gitlab) = ("https://git.example", "https://git.example/gitlab")
    // What has two parts lies on the whole server.
    try expect(asked("/acme/app.git"), is: [host, "false", "0"])
    try expect(asked("/acme/app.git/info/lfs"), is: [host, "false", "0"])
    try expect(asked("/acme/sub/app.git", metadata(host)), is: [host, "false", "1"])
    try expect(asked("", metadata(host)), is: [host, "false", "1"])
    try expect(
      asked("/gitlab/acme/sub/app.git", none, metadata(gitlab)), is: [gitlab, "false", "2"])
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

  @Test("the most specific place counts, with or without the scheme")
  func places() throws {
    let endpoints = [("credential.oauthtokenendpoint", "/t")]
    func client(
      _ settings: [(String, String)], at url: String = "https://git.corp.example:8443/a/b"
    ) throws
      -> String
    {
      try found(url, endpoints + settings).client.clientID
    }
    var settings = [("credential.oauthclientid", "any")]
    try expect(client(settings), is: "any")
    for (name, value) in [
      ("example:8443", "top"), ("corp.example:8443", "parent"),
      ("https://corp.example:8443", "parent2"),
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

  @Test("a service below a path has its metadata there")
  func belowPath() throws {
    let body = #"{"issuer":"https://git.example/gitea","token_endpoint":"https://git.example/gitea/t"}"#
    let transport = ScriptedTransport([
      .reply(status: 404, ""), .reply(status: 404, ""), .reply(status: 404, ""),
      .reply(status: 200, body),
    ])
    let method = try found(
      "https://git.example/gitea/acme", [("\(Self.own).oauthclientid", "id")], over: transport)
    expect(method.client.issuer, is: "https://git.example/gitea")
    expect(
      transport.requests.last, is: "https://git.example/gitea/.well-known/openid-configuration ")
  }

  @Test("who says that nobody is to be asked, for one place or for all")
  func questions() throws {
    let place = try #require(SignInPlace("https://git.example/acme"))
    func forbidden(_ settings: [(String, String)], _ variables: [String: String] = [:]) -> Bool {
      let entries = settings.compactMap { GitSetting($0.0, $0.1) }
      return CredentialSettings(for: place, entries, variable: { variables[$0] }).forbidsQuestions
        != nil
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

  @Test("the server's metadata, if nothing else says its endpoints")
  func discovery() throws {
    let body =
      #"{"issuer":"https://git.example","token_endpoint":"https://git.example/t","authorization_endpoint":"https://git.example/a"}"#
    let transport = ScriptedTransport([.reply(status: 404, ""), .reply(status: 200, body)])
    let method = try found(
      "https://git.example/acme", [("\(Self.own).oauthclientid", "id")], over: transport)
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
    let written = work.encode()
    var read = try written.withUnsafeBytes { (bytes) throws(JSONReader.Malformed) in
      try SignInWork(parsing: bytes)
    }
    expect(shown(read.encode()), is: shown(written))
    let isKept = !read.mayUseTerminal
    expect(isKept)
    var tokens = SignedIn(
      accessToken: Secret("a"), refreshToken: Secret("r"), expiry: 7, account: "me",
      client: try client())
    tokens.path = "acme"
    let outcome = SignInOutcome.tokens(tokens)
    let readOutcome = try outcome.encoded.withUnsafeBytes { (bytes) throws(JSONReader.Malformed) in
      try SignInOutcome(parsing: bytes)
    }
    expect(shown(readOutcome.encoded), is: shown(outcome.encoded))
  }
}

extension String {
  /// The text with spaces where it has `%20`.
  fileprivate var spaced: String { replacing("%20", with: " ") }
}
