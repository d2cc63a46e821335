import Expectations
import Interchange
import Keychain
import Testing

@Suite("developers' files")
struct DeveloperFilesTests {
  @Test(
    "a password in a URL of a setting that no format knows is named",
    arguments: [
      (
        FileFormat.rclone, "[d]\ntype = webdav\n# http://a:b@c.example\nurl = https://bob:pw@d.example/x\n", 4
      ),
      (
        .docker,
        #"""
        {"auths":{},
        "proxies":{"default":{"httpProxy":"http://joe:pw@p.example:3128"}}}
        """#, 2
      ),
      (
        .nuget,
        """
        <configuration><packageSources>
        <add key="corp" value="https://bob:pw@n.example/v3/index.json" />
        </packageSources></configuration>
        """, 2
      ),
      (.kubectl, "kind: Config\nclusters:\n- cluster:\n    proxy-url: http://joe:pw@p.example\n", 4),
      (.yarn, "httpProxy: http://joe:pw@p.example\n", 1),
      (.gradle, "systemProp.http.proxy=http://joe:pw@p.example\n", 1),
      (.mysql, "[client]\nproxy = http://joe:pw@p.example\n", 2),
    ])
  func passwordsInOtherURLs(format: FileFormat, text: String, line: Int) throws {
    try expect(result(of: text, format), is: ["\(line) inURL"])
    let others = text.replacing("joe:pw", with: "joe:${PW}").replacing("bob:pw", with: "bob")
    try expect(result(of: others, format), is: [])
  }

  @Test(
    "a secret in a setting that no format knows is named",
    arguments: [
      (FileFormat.yarn, "flow: {npmRegistryServer: \"https://f\", npmAuthToken: T}\n"),
      (.npm, "key=\"-----BEGIN PRIVATE KEY-----\\nXXX\"\n"),
      (.gitLab, "hosts:\n    h:\n        job_token: T\n"),
      (.rclone, "[h]\ntype = http\nheaders = Authorization,Bearer T\n"),
      (.mysql, "[client]\npassword2=p\n"), (.aws, "[a]\nweb_identity_token = T\n"),
      (.kubectl, "users:\n- {name: u, user: {token: T}}\n"),
      (.nuget, "<configuration>\n<fileCert clearTextPassword=\"p\"/>\n</configuration>\n"),
      (.docker, "{\n\"auths\":{},\"HttpHeaders\":{\"X-Auth-Token\":\"T\"}}\n"),
      (.docker, "{\n\"auths\":{},\"HttpHeaders\":{\"Authorization\":\"Bearer T\"}}\n"),
      (.maven, "<settings>\n<sonar.login>squ_0123456789abcdef0123</sonar.login></settings>\n"),
    ])
  func unknownSettings(format: FileFormat, text: String) throws {
    let found = try Found(text, as: format)
    expect(found.logins.isEmpty && found.passedOver.map(\.reason) == [.unknownSetting], "\(text) \(found)")
  }

  @Test(
    "what stands for a secret, or says nothing, is none", arguments: ["", "$T", "${T}", "true", "null", "''"])
  func noSecretInSetting(value: String) throws {
    try expect(result(of: "[a]\nmy_token = \(value)\n# token: x\n", .aws), is: [])
    try expect(result(of: "[user]\nsigningKey = AB12\n", .gitConfiguration), is: [])
  }

  @Test("pgpass: a line that another one before it always answers for isn't in use")
  func coveredLines() throws {
    try expect(
      result(of: "h:5432:*:u:A\nh:5432:app:u:B\nh:5432:app:v:C\n", .pgpass),
      is: [
        "postgresql://h (u) A", "postgresql://h/app (v) C", "2 notInUse",
      ])
  }

  @Test("a registry that docker finds by its host, whatever its address was")
  func oldAddresses() throws {
    for (address, place) in [
      ("https://r.example/v2/", "https://r.example"), ("http://r.example:5000", "https://r.example:5000"),
    ] {
      try expect(
        result(of: "{\"auths\":{\"\(address)\":{\"auth\":\"dTpw\"}}}", .docker),
        is: [
          "\(place) (u) for docker p"
        ])
    }
  }

  @Test("yarn's token without a registry, and one of glab that is null")
  func withoutRegistry() throws {
    try expect(result(of: "npmAuthToken: t\n", .yarn), is: ["npm t"])
    try expect(result(of: "hosts:\n  h.example:\n    token: !!null \n", .gitLab), is: ["3 malformed"])
  }

  @Test("gradle: what is called a secret in another way")
  func gradleNames() throws {
    for name in ["gpr.key", "github.pat", "ossrhPass", "NEXUS_PASS", "signingInMemoryKey", "some.privateKey"]
    {
      try expect(result(of: "\(name)=x\n", .gradle), is: ["gradle:\(name) x"], "\(name)")
    }
    try expect(result(of: "foo=ghp_0123456789abcdefghij\n", .gradle), is: ["1 unknownSetting"])
    try expect(result(of: "compass=x\ncacheKey=p\nkey.alias=a\npath=/a\n", .gradle), is: [])
  }

  @Test("cargo: an index beside the token comes before that of the configuration")
  func indexBesideToken() throws {
    let found = try FoundLogins(
      Array("[registries.r]\nindex = \"sparse+https://own.example/\"\ntoken = \"t\"\n".utf8), as: .cargo,
      beside: Array("[registries.r]\nindex = \"sparse+https://cfg.example/\"\n".utf8))
    expect(found.logins.map { "\($0.item.key.name)".contains("own.example") }, is: [true])
  }

  @Test("a refresh token of Git Credential Manager is no password")
  func refreshTokens() throws {
    for service in ["https://bitbucket.org/refresh_token", "https://oauth-refresh-token.gitlab.com"] {
      try expect(result(of: "RT\nservice=\(service)\naccount=a\n", .gcm), is: ["1 renewed"])
    }
  }

  @Test("a login in a comment between the lines of a value isn't taken")
  func commentsBetween() throws {
    try expect(
      result(
        of: "[global]\nextra-index-url =\n    https://a:1@a.example/s\n    # https://c:2@c.example/s\n"
          + "    https://b:3@b.example/s\n", .pip),
      is: [
        "https://a.example/s (a) 1", "https://b.example/s (b) 3",
      ])
    try expect(
      result(
        of:
          "extra-index-url = [\n  # \"https://u:OLD@o.example/s\",\n  \"https://u:NEW@h.example/s\", # was x\n]\n",
        .uv), is: ["https://h.example/s (u) NEW"])
  }

  @Test("gh: the lists of its first versions")
  func ghList() throws {
    try expect(
      result(of: "github.com:\n  - user: ana\n    oauth_token: t\n  - oauth_token: u\n", .gitHub),
      is: [
        "https://github.com (ana) t", "https://github.com (x-access-token) u",
      ])
    try expect(
      remainder(of: "github.com:\n- oauth_token: t\n  user: ana\n", as: .gitHub),
      is: "github.com:\n- oauth_token: \"\"\n  user: ana\n")
  }

  @Test("aws: comments, quotes, profiles of the configuration, an end, and keys that begin with slashes")
  func awsForms() throws {
    let keys = "aws_access_key_id = A\naws_secret_access_key = //k+/=\n"
    for (text, expected) in [
      // aws/aws-sdk-ruby#837, aws/aws-sdk-go#2239
      ("[default] # mine\n\(keys)", ["aws:default (A) //k+/="]),
      ("[profile work]\n\(keys)", ["aws:work (A) //k+/="]),
      ("[profile \"my work\"]\n\(keys)", ["aws:my work (A) //k+/="]),
      // aws/aws-sdk-php#1526
      (
        "[d]\n\(keys)aws_session_token = x/+==\n",
        [#"aws:d (A) {"AccessKeyId":"A","SecretAccessKey":"//k+/=","SessionToken":"x/+=="}"#]
      ),
      // naftulikay/aws-env#12
      ("[d]\naws_access_key_id = A\naws_secret_access_key = \"k\"\n", ["3 disputed"]),
      ("[d]\naws_access_key_id = A\naws_secret_access_key = k # c\n", ["3 disputed"]),
      ("[d]\naws_access_key_id = A\naws_access_key_id = B\naws_secret_access_key = k\n", ["4 disputed"]),
      ("[d]\naws_access_key_id = A\n", ["2 noSecret"]),
      ("[d]\n\(keys)mfa_serial = arn:m\n", ["aws:d (A) //k+/=", "4 noLogin"]),
      ("[d]\nrole_arn = r\nregion = x\n", []),
    ] { try expect(result(of: text, .aws), is: expected, "\(text)") }
    // Cyberduck, iterate-ch/cyberduck#12792
    let commented = "[d]\n; mine\n\(keys)region = x\n"
    try expect(FoundLogins(Array(commented.utf8), as: .aws).hasOthers)
    try expect(remainder(of: commented, as: .aws), is: "[d]\n; mine\nregion = x\n")
    let ending = try FoundLogins(
      Array("[d]\n\(keys)x_security_token_expires = 2030-01-01T00:00:00Z\n".utf8), as: .aws)
    expect(ending.logins.map { $0.credential.expiry }, is: [1_893_456_000])
    // saml2aws writes the time of the place.
    let offset = try FoundLogins(
      Array("[d]\n\(keys)x_security_token_expires = 2030-01-01T02:00:00+02:00\n".utf8), as: .aws)
    expect(offset.logins.map { $0.credential.expiry }, is: [1_893_456_000])
    #expect(throws: FormatFault.self) { try Found("x\n", as: .aws) }
  }

  @Test("npm: variables, settings of the registry in use, quotes, proxies")
  func npmForms() throws {
    for (text, expected) in [
      // npm/cli#4407, bahmutov/ban-sensitive-files#12
      ("//registry.npmjs.org/:_authToken=$NPM_TOKEN\n", ["1 reference"]),
      ("//registry.npmjs.org/:_authToken=${NPM_TOKEN}\n", ["1 reference"]),
      // rexxars/registry-auth-token#22
      (
        "registry=https://r.example/foo/npm/\n_auth=YTpi\nemail=a@b\nalways-auth=true\n",
        ["https://r.example/foo/npm (a) b"]
      ),
      ("_authToken=t\n", ["npm t"]), ("//registry.npmjs.org/:_authToken = \"t\"\n", ["npm t"]),
      ("//r.example:8443/a/:_authToken=t\r\n", ["npm:r.example:8443/a t"]),
      ("https-proxy=http://u:p@proxy.example:8080\n", ["http://proxy.example:8080 (u) p"]),
      ("//r.example/:_auth=!\n//r.example/:_password=\n", ["1 malformed", "2 noSecret"]),
      ("; //r.example/:_authToken=t\n", []),
    ] { try expect(result(of: text, .npm), is: expected, "\(text)") }
    try expect(
      remainder(of: "https-proxy=http://u:p@proxy.example:8080\n", as: .npm),
      is: "https-proxy=http://u@proxy.example:8080\n")
  }

  @Test("kubectl: keys in quotes, blocks, and whose login a cluster's is")
  func kubectlForms() throws {
    // kyma-project/cli#2791
    let exec =
      "\"users\":\n- \"name\": \"gh\"\n  \"user\":\n    \"exec\":\n      \"args\":\n      - \"-c\"\n      - |\n"
      + "        set -e\n        token: x\n      \"command\": \"bash\"\n- name: ana\n  user:\n    token: 't'\n"
    try expect(result(of: exec, .kubectl), is: ["kubectl:ana t", "4 noLogin", "9 unknownSetting"])
    let users = "users:\n- name: ana\n  user: {}\n- name: bob\n  user:\n    token: t\n"
    let cluster = "clusters:\n- name: c\n  cluster:\n    server: https://k.example:6443\n"
    func context(_ user: String) -> String {
      "- name: \(user)\n  context:\n    cluster: c\n    user: \(user)\n"
    }
    let own = "\(cluster)contexts:\n\(context("bob"))\(users)"
    // Each user's is under its name, whoever else logs in to the cluster, in this file or another.
    try expect(result(of: own, .kubectl), is: ["https://k.example:6443 (bob) for kubectl t"])
    let both = "\(cluster)contexts:\n\(context("ana"))\(context("bob"))"
    try expect(
      result(of: both + users.replacing("{}", with: "\n    token: a"), .kubectl),
      is: [
        "https://k.example:6443 (ana) for kubectl a", "https://k.example:6443 (bob) for kubectl t",
      ])
    let braces = "\(cluster)contexts:\n- {name: ana, context: {cluster: c, user: ana}}\n\(context("bob"))"
    try expect(
      result(of: braces + users.replacing("{}", with: "\n    token: a"), .kubectl),
      is: [
        "https://k.example:6443 (ana) for kubectl a", "https://k.example:6443 (bob) for kubectl t",
      ])
    let flow = "clusters:\n- {name: c, cluster: {server: 'https://k.example'}}\ncontexts:\n\(context("bob"))"
    try expect(result(of: flow + users, .kubectl), is: ["https://k.example (bob) for kubectl t"])
    // One is for a cluster of another file.
    let other = "\(cluster)contexts:\n\(context("bob"))- name: x\n  context: {cluster: d, user: bob}\n"
    try expect(result(of: other + users, .kubectl), is: ["kubectl:bob t"])
    // Nobody knows whose a context with an alias is.
    try expect(
      result(of: other.replacing("user: bob}", with: "user: *bob}") + users, .kubectl), is: ["17 noPlace"])
    try expect(result(of: "users:\n- name: a\n  user: {token: t}\n", .kubectl), is: ["3 malformed"])
    try expect(
      result(of: "users:\n- name: a\n  user:\n    password: p\n    client-key-data: k\n", .kubectl),
      is: [
        "5 noLogin", "4 noLogin",
      ])
  }

  @Test("psql: escapes and asterisks")
  func pgpass() throws {
    for (text, expected) in [
      // MagicStack/asyncpg#1249, psycopg/psycopg2#334, dbeaver/dbeaver#9454
      ("*:*:test\\:db:test\\\\:pw\n", ["1 noPlace"]),
      ("db.example:5342:mydb:vic:hello\\\\world\n", ["postgresql://db.example:5342/mydb (vic) hello\\world"]),
      ("db.example:5432:mydb:vic:4\\:K1\n", ["postgresql://db.example/mydb (vic) 4:K1"]),
      ("db.example:5432:mydb:vic:4:K1\n", ["1 disputed"]),
      (
        "db.example:*:*:*: p \n",
        ["postgresql://db.example  p  + asterisk for the port + asterisk for the user"]
      ),
      ("# c\n\ndb.example:5432:*:u:\nx\n", ["3 noSecret", "4 malformed"]),
      ("\\:\\:1:5432:*:u:p\n", ["postgresql://[::1] (u) p"]),
    ] { try expect(result(of: text, .pgpass), is: expected, "\(text)") }
  }

  @Test("mysql: quotes, comments, and the host of all clients")
  func mysql() throws {
    for (value, expected) in [
      // inverse-inc/packetfence#7056, geerlingguy/ansible-role-mysql#200
      ("Passw#ord", ["mysql://localhost (u) Passw"]), ("\"Passw#ord\"", ["mysql://localhost (u) Passw#ord"]),
      ("password=here", ["mysql://localhost (u) password=here"]), ("\"pass\"word\"", ["3 disputed"]),
      ("'a\\sb\\\\c'", ["mysql://localhost (u) a b\\c"]), ("\"p\" # c", ["mysql://localhost (u) p"]),
      ("", ["3 noSecret"]),
    ] { try expect(result(of: "[client]\nuser=u\npassword=\(value)\n", .mysql), is: expected, "\(value)") }
    try expect(
      result(
        of: "[client]\nhost=db.example\nport=3307\n[mysqldump]\nquick\nuser=d\nloose_password=p\n", .mysql),
      is: ["mysql://db.example:3307 (d) p"])
  }

  @Test("git: two @, tokens for user names, other headers, helpers that print a password, mail")
  func gitForms() throws {
    for (text, expected) in [
      // git-for-windows/git#821
      ("[http]\nproxy = http://u:123@456@proxy.example:8080\n", ["2 disputed"]),
      (
        "[url \"https://oauth2:t@gitee.example/\"]insteadOf = https://gitee.example/\n",
        ["https://gitee.example (oauth2) t"]
      ),
      (
        "[remote \"o\"]\nurl = https://ghp_a@github.com/a/b.git\n",
        ["https://github.com/a/b.git (x-access-token) ghp_a"]
      ),
      (
        "[remote \"o\"]\nurl = https://t:x-oauth-basic@h.example/a\n",
        ["https://h.example/a (x-access-token) t"]
      ),
      ("[remote \"o\"]\nurl = https://ana@h.example/a\nfetch = +x\n", []),
      ("[http \"https://h.example/\"]\nextraheader = AUTHORIZATION: bearer t\n", ["https://h.example t"]),
      ("[http]\nextraheader = Authorization: Basic YTpi\n", ["2 noPlace"]),
      ("[http \"https://h.example\"]\nextraheader = X-Trace: 1\n", ["2 noLogin"]),
      ("[credential]\nhelper = \"!f() { echo password=x; }; f\"\n", ["2 malformed"]),
      ("[github]\noauth-token = t\n", ["2 unknownSetting"]),
      ("[alias]\nup = !curl -s https://u:p@h.example/x\n", ["2 inURL"]),
      ("[imap]\nuser = u\npass = p\n", ["3 unknownSetting"]),
      // paulirish/dotfiles, erikw/dotfiles
      (
        "[alias]\nlg = \"!git log --format=%h\\n\"\n[remote \"p\"]\nurl = https://c:pw@h.example/y.git\n",
        ["https://h.example/y.git (c) pw"]
      ),
      ("[remote \"o\"]\nurl = \"https://bob:it's-secret@h.example/x\"\n", ["2 malformed"]),
      ("[remote \"o\"]\nurl = https://bob:my pass@h.example/x\n", ["2 malformed"]),
      ("[remote \"o\"]\nurl = \"https://h.example:8080/\" # ask me@x.example\n", []),
      ("[http \"https://*.b.example\"]\nextraheader = Authorization: Bearer t\n", ["2 noPlace"]),
      ("[credential]\nhelper = \"!f() { echo password=${TOKEN}; }; f\"\n", []),
      (
        "[sendemail]\nsmtpServer = m.example\nsmtpServerPort = 587\nsmtpUser = a\nsmtpPass = \"p;w\" # c\n",
        ["smtp://m.example:587 (a) p;w"]
      ),
    ] { try expect(result(of: text, .gitConfiguration), is: expected, "\(text)") }
    try expect(
      remainder(of: "[remote \"o\"]\nurl = https://ghp_a@github.com/a/b.git\n", as: .gitConfiguration),
      is: "[remote \"o\"]\nurl = https://github.com/a/b.git\n")
    let bearer = try FoundLogins(
      Array("[http \"https://h.example\"]\nextraheader = Authorization: Bearer t\n".utf8),
      as: .gitConfiguration)
    expect(bearer.logins.map { $0.credential.authenticationScheme }, is: ["Bearer"])
  }

  @Test("pip and uv: what URLs have to escape")
  func indexes() throws {
    for (url, expected) in [
      // pypa/pip#10017, #4315, #6775, #7604, #6961
      ("https://u:my_#_in@h.example/simple", ["2 malformed"]),
      ("https://u:pass/@word@h.example/simple", ["2 malformed"]),
      ("https://a@b.example:p@h.example/simple", ["2 disputed"]),
      ("https://u:%25p%25@h.example/pypi/simple", ["https://h.example/pypi/simple (u) %p%"]),
      ("https://u:p^@h.example:8443/simple", ["https://h.example:8443/simple (u) p^"]),
      ("https://u:${PW}@h.example/simple", ["2 reference"]), ("git+https://h.example:443/x@v1", []),
    ] {
      try expect(result(of: "[global]\nindex-url = \(url)\n", .pip), is: expected, "\(url)")
      try expect(result(of: "[[index]]\nurl = \"\(url)\"\n", .uv), is: expected, "\(url)")
    }
    try expect(
      result(of: "[[index]]\nurl = \"https://u:p\\u0077@h.example\"\nx = \"C:\\\\y\"\n", .uv),
      is: [
        "2 malformed"
      ])
    try expect(
      result(of: "index = [{ url = 'https://u:p@h.example' }]\nx\n", .uv),
      is: [
        "https://h.example (u) p", "2 malformed",
      ])
  }

  @Test("terraform: blocks")
  func terraformBlocks() throws {
    let text = "plugin_cache_dir = \"/x\"\ncredentials \"app.terraform.io\" {\n  token = \"t\"\n}\n"
    try expect(result(of: text, .terraform), is: ["https://app.terraform.io for terraform t"])
    try expect(remainder(of: text, as: .terraform), is: "plugin_cache_dir = \"/x\"\n")
    try expect(result(of: "credentials \"h\" {\n  other = 1\n}\n", .terraform), is: ["1 malformed"])
    try expect(
      result(of: #"{"credentials":{"h":{"token":"t"},"i":{"token":"u","x":1}}}"#, .terraform),
      is: [
        "https://h for terraform t", "1 malformed",
      ])
    try expect(
      remainder(of: #"{"credentials":{"h":{"token":"t"},"i":{"token":"u","x":1}}}"#, as: .terraform),
      is: #"{"credentials":{"i":{"token":"u","x":1}}}"#)
  }

  @Test("a token that isn't taken stays, and those that are taken leave nothing behind")
  func othersStay() throws {
    for (other, reasons) in [
      (#""b d":{"token":"u"}"#, ["1 noPlace"]),
      (#""C.example":{"token":"u"},"c.example":{"token":"v"}"#, ["1 disputed", "1 disputed"]),
    ] {
      let text = #"{"credentials":{"a.example":{"token":"t"},\#(other)}}"#
      try expect(result(of: text, .terraform), is: ["https://a.example for terraform t"] + reasons)
      try expect(
        remainder(of: text, as: .terraform), is: #"{"credentials":{\#(other)}}"#)
    }
    let composer = #"{"github-oauth":{"h":"t"},"bearer":{"h":"u"},"gitlab-token":{"i":"v"}}"#
    try expect(result(of: composer, .composer), is: ["composer:i v", "1 disputed", "1 disputed"])
    try expect(
      remainder(of: composer, as: .composer),
      is: #"{"github-oauth":{"h":"t"},"bearer":{"h":"u"},"gitlab-token":{}}"#)
  }

  /// A file of three logins, laid out in each of the ways that people and programs do it.
  private static let layouts = [
    #"{"credentials":{"a":{"token":"t"},"b":{"token":"u"},"c":{"token":"v"}}}"#,
    "{\n  \"credentials\": {\n    \"a\": {\n      \"token\": \"t\"\n    },\n    \"b\": {\"token\": \"u,\"},\r\n"
      + "    \"c\": {\"token\": \"v\"}\n  }\n}\n",
    #"{ "x" : 1 , "credentials" : { "a" : {"token":"}"} , "b":{"token":"u"} ,"c":{"token":"v"}, "d":{} } }"#,
    #"{"credentials":{"a":{"token":"t"}},"credentials":{"b":{"token":"u"},"z":[","],"c":{"token":"v"}},"y":{}}"#,
  ]

  @Test(
    "whichever tokens go, the file is JSON without them, and the others are as they were", arguments: layouts)
  func membersGo(text: String) throws {
    let bytes = Array(text.utf8)
    let found = try FoundLogins(bytes, as: .terraform)
    expect(found.logins.count, is: 3)
    for subset in 0..<8 {
      let going = found.logins.enumerated().filter { subset & 1 << $0.offset != 0 }.flatMap(
        \.element.removals)
      let rest = try bytes.withUnsafeBytes { file in
        let rest = try SourceText(file).file(file, after: Set(going))
        return rest.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      }
      let staying = found.logins.enumerated().filter { subset & 1 << $0.offset == 0 }.map(\.element)
      let others = try FoundLogins(Array(rest.utf8), as: .terraform)
      expect(others.logins.map(\.item), is: staying.map(\.item), "\(subset): \(rest)")
      expect(others.passedOver.count, is: found.passedOver.count, "\(subset): \(rest)")
      if subset == 0 { expect(rest, is: text) }
    }
  }

  @Test("a file that is laid out well stays so")
  func layout() throws {
    let text =
      "{\n  \"http-basic\": {\n    \"a\": {\"username\": \"u\", \"password\": \"p\"},\n"
      + "    \"b\": {\"x\": 1},\n    \"c\": {\"username\": \"u\", \"password\": \"p\"}\n  },\n"
      + "  \"bearer\": {\n    \"d\": \"t\"\n  }\n}\n"
    try expect(
      remainder(of: text, as: .composer),
      is: "{\n  \"http-basic\": {\n    \"b\": {\"x\": 1}\n  },\n  \"bearer\": {}\n}\n")
  }

  @Test("composer and gradle")
  func composerAndGradle() throws {
    let composer =
      #"{"http-basic":{"r.example":{"username":"a","password":"p"}},"github-oauth":{"github.com":"t"},"#
      + #""gitlab-token":{"g.example":{"username":"b","token":"u"},"h.example":"v"},"custom-headers":{"h":["x"]}}"#
    try expect(
      result(of: composer, .composer),
      is: [
        "https://r.example (a) p", "composer:github.com t", "https://g.example (b) u", "composer:h.example v",
        "1 malformed",
      ])
    try expect(
      remainder(of: composer, as: .composer),
      is: #"{"http-basic":{},"github-oauth":{},"gitlab-token":{},"custom-headers":{"h":["x"]}}"#)
    try expect(
      result(
        of:
          "corpUsername=a\ncorpPassword = p\nsigning.password: s\napiToken t\norg.gradle.jvmargs=-X\nxPassword=a\\\n",
        .gradle),
      is: ["gradle:corpPassword (a) p", "gradle:signing.password s", "gradle:apiToken t", "6 malformed"])
  }

  @Test("what takes the place of a login whose program asks nobody")
  func takesPlace() throws {
    try expect(
      instead(of: "//r.example/a/:_authToken=t\n//r.example/:_auth=YTpi\n", .npm),
      is: [
        "//r.example/a/:_authToken=${NPM_TOKEN_R_EXAMPLE_A}",
        "NPM_TOKEN_R_EXAMPLE_A=llavero://npm:r.example%2Fa -- npm install",
        "//r.example/:_auth=${NPM_AUTH_R_EXAMPLE}",
        "NPM_AUTH_R_EXAMPLE=llavero+https://a@r.example?field=basic -- npm install",
      ])
    // The address of a registry stays.
    try expect(instead(of: "@s:registry=https://u:p@h.example/n/\n", .npm), is: [])
    try expect(
      instead(of: "corpPassword=p\n", .gradle),
      is: [
        "ORG_GRADLE_PROJECT_corpPassword=llavero://gradle:corpPassword -- gradle --no-daemon build"
      ])
    try expect(
      instead(of: "h.example:5432:d:u:p\n", .pgpass),
      is: [
        "PGPASSWORD=llavero+postgresql://u@h.example/d -- psql"
      ])
    try expect(instead(of: "[default]\naws_access_key_id=A\naws_secret_access_key=k\n", .aws), is: [])
  }

  @Test("composer: each kind of login in its variable")
  func composerInstead() throws {
    let text =
      #"{"http-basic":{"r.example":{"username":"a","password":"p"}},"github-oauth":{"github.com":"t"},"#
      + #""gitlab-token":{"g.example":{"username":"b","token":"u"}},"bearer":{"h.example:8443":"v"},"#
      + #""bitbucket-oauth":{"bitbucket.org":{"consumer-key":"k","consumer-secret":"s"}}}"#
    try expect(
      instead(of: text, .composer),
      is: [
        #"COMPOSER_AUTH={"http-basic": {"r.example": {"username": "a", "password": "${llavero+https://a@r.example}"}}}"#
          + " -- composer install",
        #"COMPOSER_AUTH={"github-oauth": {"github.com": "${llavero://composer:github.com}"}} -- composer install"#,
        #"COMPOSER_AUTH={"gitlab-token": {"g.example": {"username": "b", "token": "${llavero+https://b@g.example}"}}}"#
          + " -- composer install",
        #"COMPOSER_AUTH={"bearer": {"h.example:8443": "${llavero://composer:h.example:8443}"}} -- composer install"#,
        #"COMPOSER_AUTH={"bitbucket-oauth": {"bitbucket.org": {"consumer-key": "k", "#
          + #""consumer-secret": "${llavero://composer:bitbucket.org/k}"}}} -- composer install"#,
      ])
  }

  @Test("composer: consumers of Bitbucket, and tokens that composer renews")
  func composerKinds() throws {
    for (text, expected) in [
      (
        // What composer writes once it has logged in.
        #"{"bitbucket-oauth":{"bitbucket.org":{"consumer-key":"k","consumer-secret":"s","access-token":"t","#
          + #""access-token-expiration":1700000000}}}"#, ["composer:bitbucket.org (k) s"]
      ),
      (
        #"{"gitlab-oauth":{"gitlab.com":{"expires-at":1700000000,"refresh-token":"r","token":"t"}}}"#,
        ["1 renewed"]
      ),
      (#"{"forgejo-token":{"f.example":{"username":"a","token":"t"}}}"#, ["https://f.example (a) t"]),
      (#"{"http-basic":{"h.example":"t"}}"#, ["1 malformed"]),
      (
        #"{"http-basic":{"h.example":{"username":"a","password":"p","new":"x"}}}"#,
        ["https://h.example (a) p + new"]
      ),
    ] {
      let actual = try result(of: text, .composer)
      expect(actual, is: expected, "\(text)")
    }
    let bitbucket =
      #"{"bitbucket-oauth":{"b":{"consumer-key":"k","consumer-secret":"s","access-token":"t"}}}"#
    try expect(remainder(of: bitbucket, as: .composer), is: #"{"bitbucket-oauth":{}}"#)
    try expect(FoundLogins(Array(bitbucket.utf8), as: .composer).bookkeeping, is: ["access-token"])
  }

  @Test("what takes the place of a login of yarn, of Gradle with dots, and of each program of MySQL")
  func furtherInstead() throws {
    try expect(
      instead(of: "npmRegistryServer: https://r.example/npm\nnpmAuthIdent: ana:pw\n", .yarn),
      is: [
        "npmAuthIdent: \"${NPM_AUTH_R_EXAMPLE_NPM}\"",
        "NPM_AUTH_R_EXAMPLE_NPM=llavero+https://ana@r.example/npm?field=basic -- yarn install",
      ])
    try expect(
      instead(of: "signing.password=p\n", .gradle),
      is: [
        "ORG_GRADLE_PROJECT_signing.password=llavero://gradle:signing.password -- "
          + "bash -c exec bash \"$(command -v gradle)\" --no-daemon build"
      ])
    for (group, command) in [
      ("client", "mysql --defaults-extra-file=\"$INJECTED\""),
      ("mysqldump", "mysqldump --defaults-extra-file=\"$INJECTED\""),
      ("mariadb-dump", "mariadb-dump --defaults-extra-file=\"$INJECTED\""),
      ("client_prod", "mysql --defaults-extra-file=\"$INJECTED\" --defaults-group-suffix=_prod"),
      ("client-mariadb", "mysql --defaults-extra-file=\"$INJECTED\""),
      ("mysql", "mysql --defaults-extra-file=\"$INJECTED\""),
    ] {
      let text = "[\(group)]\nuser=u\npassword=p\n"
      let actual = try FoundLogins(Array(text.utf8), as: .mysql).logins.map {
        FileFormat.mysql.instead(of: $0.item)?.command.last
      }
      expect(actual, is: [command], "\(group)")
    }
  }

  @Test("pip and npm: proxies, which they ask nobody for")
  func proxies() throws {
    let pip = "[global]\nproxy = http://u:p%40w@proxy.example:3128\n"
    try expect(result(of: pip, .pip), is: ["http://proxy.example:3128 (u) p@w"])
    try expect(
      instead(of: pip, .pip),
      is: [
        "PIP_PROXY=http://${llavero+http://u@proxy.example:3128?field=userinfo}@proxy.example:3128 -- pip install"
      ])
    try expect(
      instead(of: "https-proxy=http://u:p@proxy.example:8080\n", .npm),
      is: [
        "NPM_CONFIG_HTTPS_PROXY=http://${llavero+http://u@proxy.example:8080?field=userinfo}@proxy.example:8080 "
          + "-- npm install"
      ])
    try expect(instead(of: "[global]\nindex-url = https://u:p@h.example/simple\n", .pip), is: [])
  }

  @Test("glab: when a token ends")
  func glabExpiry() throws {
    for (date, expiry) in [
      ("13 Mar 33 15:47 GMT", 1_994_341_620 as Int64?), ("03 Jan 2027 15:04 UTC", 1_798_988_640),
      ("\"2026-06-18T14:00:00Z\"", 1_781_791_200), ("13 Mar 33 15:47 CET", nil), ("soon", nil),
    ] {
      let text =
        "hosts:\n  h.example:\n    token: t\n    oauth2_refresh_token: r\n    oauth2_expiry_date: \(date)\n"
      let found = try FoundLogins(Array(text.utf8), as: .gitLab)
      expect(found.logins.map { $0.credential.expiry }, is: [expiry], "\(date)")
      let rest = "hosts:\n  h.example:\n" + (expiry == nil ? "    oauth2_expiry_date: \(date)\n" : "")
      try expect(remainder(of: text, as: .gitLab), is: rest, "\(date)")
    }
  }
}
