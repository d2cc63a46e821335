import Expectations
import TestSupport
import Testing

@testable import Commands

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

private func set(_ format: some ConfigurationFormat, in text: String) throws -> String {
  String(decoding: try format.setting(in: bytes(text)), as: UTF8.self)
}

/// Undoes, in a text, the edits that set the format in an earlier one.
private func unset(_ format: some ConfigurationFormat, in text: String, before: String) throws -> String? {
  try format.undoing(try format.edits(for: bytes(before)), in: bytes(text)).map {
    String(decoding: $0, as: UTF8.self)
  }
}

/// A format with texts that its tool reads.
struct FormatUnderTest: Sendable, CustomTestStringConvertible {
  let name: String
  let format: any ConfigurationFormat
  let texts: [String]
  /// Lines that the tool reads as other settings.
  let pieces: [String]

  var testDescription: String { name }

  static let all = [
    FormatUnderTest(
      name: "option for configparser",
      format: INISetting(section: "registry", key: "providers", value: "llavero"),
      texts: [
        "", "[registry]\n", "[registry]\nproviders = x\n", "[a]\na = 1",
        "[registry]\na = 1\n\n[other]\nb = 2\n", "[other]\nproviders: mine\n",
        "# [registry]\n# providers = 1\n", "[registry] # ours\nproviders:2", "\n\n[registry]\r\na = 1\r\n",
        "[registry]\nPROVIDERS : x\n", "[registry]\nproviders =\n  a\n  # c\n\n  b\n",
        "  [registry]\n  a = 1\n   b\n",
      ],
      pieces: [
        "[registry]\n", "[x]\n", "providers: 1\n", "# c\n", "\n", "a = b\n", "  more\n", "  [y]\n", "B:1\r\n",
        "  c = 1\n",
      ]),
    FormatUnderTest(
      name: "key of TOML in a table",
      format: TOMLSetting("registry", "providers", is: .element("llavero", of: ["cargo:token"])),
      texts: [
        "", "[registry]\n", "[registry]\nproviders = [\"x\"]\n", "a = 1", "registry.default = 'x'",
        "registry = {}\n",
        "registry = { default = \"x\" } # c\n", "[registry.sub]\na = 1\n",
        "[registry]\nproviders = [\n  'a', # ]\n]",
        "[ 'registry' ]\r\n\"providers\"=[ ]\r\n", "registry = { providers = [\"a\",], b = 1 }\n",
        "registry.a = 1\nregistry.providers = []\n[x]\n",
        "[registry]\ntext = \"\"\"\n[x]\nproviders = 1\"\"\"\n",
      ],
      pieces: [
        "[registry]\n", "[x]\n", "providers = [\n'a',\n]\n", "# c\n", "\n", "a = \"b\"\n", "registry.b = 1\n",
        "registry = {}\n", "[registry.c]\n", "d.e = { f = [{}] }\r\n", "date = 1979-05-27 07:32:00 # d\n",
      ]),
    FormatUnderTest(
      name: "key of TOML at the top", format: TOMLSetting("provider", is: .string("subprocess")),
      texts: ["", "a = 1", "[x]\nprovider = 'y'\n", "provider = \"z\" # c\n[x]", "provider = ['a']\n"],
      pieces: ["provider = 1\n", "a = 1\n", "[x]\n", "# c\n", "\r\n"]),
    FormatUnderTest(
      name: "go's list", format: GoAuthList.setting("llavero goauth"),
      texts: [
        "", "GOPROXY=off\n", "GOAUTH=netrc\nGOFLAGS=-x\n", "GOFLAGS=-x", "[s]\nGOAUTH=1\n", "GOAUTH=off",
      ],
      pieces: ["GOAUTH=netrc\n", "GOPROXY=off\n", "# c\n", "\n", "[s]\n", " GOAUTH=x\n", "GOAUTH =x\n"]),
    FormatUnderTest(
      name: "variable of wget", format: VariableLine(.wget, "use_askpass", is: "/bin/x y"),
      texts: ["", "useaskpass=/z", "# use_askpass = 1\n", "USE-ASKPASS = a\nquiet=on\n"],
      pieces: ["useaskpass = 1\n", "# c\n", "\n", "Quiet = on\r\n", "use_askpass=2\n"]),
    FormatUnderTest(
      name: "variable of the desktop", format: VariableLine(.environment, "SSH_ASKPASS", is: "/bin/x"),
      texts: ["", "SSH_ASKPASS=/z", "# c\nPATH=\"/a b\"\n"],
      pieces: ["SSH_ASKPASS=1\n", "; c\n", "\n", "A='b'\n"]),
    FormatUnderTest(
      name: "bazel's helpers",
      format: BazelHelperLines(helper: "/bin/llavero", hosts: ["a.example", "*.b.example"]),
      texts: [
        "", "build -c opt\n", "common --credential_helper=c.example=/bin/other",
        "common --credential_helper=a.example=/bin/llavero\n", "build \\\n  -c opt\r\n",
      ],
      pieces: ["build -c opt\n", "common --credential_helper=x.example=/y\n", "\n", "# c \\\n", "build \\\n"]),
    FormatUnderTest(
      name: "terraform's helper", format: TerraformHelperBlock(helper: "llavero"),
      texts: [
        "", "# c\nplugin_cache_dir = \"/x\"", "host \"a.example\" {\n  services = { \"a\" = \"b\" }\n}\n",
        "/* credentials_helper \"x\" {} */\n",
      ], pieces: ["a = \"{\"\n", "// }\n", "b \"x\" {\n c = [1]\n}\n", "\n", "/* \n */"]),
    FormatUnderTest(
      name: "git's helpers", format: GitHelperLines(helper: "llavero"),
      texts: [
        "", "[user]\n\tname = A\n", "[credential]\n\thelper = store\n", "[credential] helper = store",
        "[Credential]\n\thelper = \"cache --timeout 1\"", "[credential \"https://x\"]\n\thelper = gh\n",
        "[credential]\n\thelper = store\n\thelper =\n", "[credential]HELPER=sto\\\nre;c\n",
        "\u{FEFF}[user]\r\n\tname = A\r\n", "[include]\npath = x\n[credential]\nhelper = llavero\n",
      ],
      pieces: [
        "[user]\n", "[credential]\n", "\thelper = store\n", "\thelper =\n", "\tname = x\n",
        "[credential] helper = \"a;b\" # c\r\n",
        "[credential \"https://a\"]helper=x\n", "# \"\n", "name = a \\\n",
      ]),
    FormatUnderTest(
      name: "setting of npm", format: VariableLine(.npm, "//a.example/:tokenHelper", is: "/bin/x"),
      texts: [
        "", "save-exact\n", "//a.example/:tokenHelper = /y", "; c\n//a.example/acme/:tokenHelper=/z\n",
        "//a.example/:_authToken=${A}\r\nca[]=1\r\nca[]=2\r\n",
      ],
      pieces: [
        "//a.example/:tokenHelper=/y\n", "registry=https://a.example\n", "# c\n", "\n", "quiet\n",
        "a = b\r\n",
      ]),
    FormatUnderTest(
      name: "program", format: ProgramText(prefix: "Bearer ", command: "/bin/llavero get --service a"),
      texts: ["", "#!/bin/sh\nprintf 'Bearer '\nexec /old/llavero get --service a\n"], pieces: []),
    FormatUnderTest(
      name: "user of a kubeconfig",
      format: KubeconfigExec(user: "prod", program: "/bin/llavero"),
      texts: [
        "users:\n- name: prod\n  user: {}\n", "users:\n- name: prod\n  user:\n",
        "users:\n  - name: prod\n    user:\n      token: x # c\n",
        "kind: Config\nusers:\n- user:\n    token: 'x: y'\n  name: \"prod\"\ncontexts: []",
        "users:\r\n- name: b\r\n  user: {token: x}\r\n-\r\n  name: prod\r\n  user: ~ # none\r\n",
        "---\nusers:\n# c\n\n-   name: prod\n    # c\n    user:\n        client-key-data: |\n          a\n\n          b\n",
        "users:\n- name: prod\n  user:\n    exec:\n      args: [kubectl]\n      command: /old/llavero\n",
        "users:\n- name: prod\n  user:\n    token: a\n      b\n    username: x",
      ],
      pieces: [
        "users:\n- name: prod\n  user: {}\n",
        "users:\n- name: b\n  user:\n    token: y\n- name: prod\n  user:\n",
        "# c\n", "kind: Config\n", "\n", "contexts:\n- name: c\n  context: {cluster: c, user: prod}\n",
      ]),
    FormatUnderTest(
      name: "member of JSON", format: JSONMember(name: "credsStore", value: "llavero"),
      texts: [
        "", "{}", "{ }\n", "{\n\t\"auths\": {}\n}", #"{"credsStore":"desktop"}"#,
        #"{"credsstore":"desktop"}"#,
        #"{"auths":{"a":{"auth":"eA=="}},"credsStore":"pass","x":[1,{"credsStore":"inner"}]}"#, "\n",
        #"{"creds\u0053tore":"a"}"#, "{\r\n  \"a\": 1\r\n}\r\n",
      ], pieces: []),
  ]
}

@Suite("Configurations of other programs")
struct ConfigurationFormatTests {
  @Test(
    "a setting is made once, and taken back to the very text that was there", arguments: FormatUnderTest.all)
  func roundTrip(kind: FormatUnderTest) throws {
    var texts = kind.texts
    var random = SeededGenerator(seed: 7)
    for _ in 0..<(kind.pieces.isEmpty ? 0 : rounds(400)) {
      let count = Int.random(in: 0..<6, using: &random)
      texts.append((0..<count).map { _ in kind.pieces.randomElement(using: &random) ?? "" }.joined())
    }
    var refused = 0
    for text in texts {
      let before = bytes(text)
      let edits: [TextEdit]
      do throws(ConfigurationFault) {
        edits = try kind.format.edits(for: before)
      } catch {
        // Its tool would also refuse most of these.
        refused += 1
        continue
      }
      let after = edits.applied(to: before)
      try expect(kind.format.edits(for: after).isEmpty, "\(text)")
      try expect(kind.format.reading(of: after).others, is: kind.format.reading(of: before).others, "\(text)")
      try expect(kind.format.current(in: after)?.isEmpty, is: false, "\(text)")
      if after == before { continue }
      try expect(kind.format.undoing(edits, in: after), is: before, "\(text)")
      let change = try kind.format.change(from: before)
      expect(!change.added.isEmpty)
    }
    for text in kind.texts { #expect(throws: Never.self) { try kind.format.edits(for: bytes(text)) } }
    expect(refused * 10 < texts.count * 9)
  }

  @Test(
    "what is added elsewhere later stays when the setting is taken back",
    arguments: FormatUnderTest.all.dropLast())
  func laterChanges(kind: FormatUnderTest) throws {
    for text in kind.texts where !text.isEmpty {
      let before = bytes(text)
      let edits = try kind.format.edits(for: before)
      if edits.isEmpty { continue }
      let after = edits.applied(to: before)
      // At the end, and so that nothing is in its former position.
      for later in [
        after + bytes(after.last == 0x0a ? "# later\n" : "\n# later\n"), bytes("# later\n\n") + after,
      ] {
        if text.hasPrefix("\u{FEFF}"), later.starts(with: bytes("#")) { continue }
        let undone = try kind.format.undoing(edits, in: later)
        let lines = undone.map { $0.string(0..<$0.count).split(whereSeparator: \.isNewline) }
        expect(lines?.contains("# later"), is: true, "\(text)")
        if let undone {
          try expect(kind.format.reading(of: undone), is: kind.format.reading(of: before), "\(text)")
        }
      }
    }
  }

  @Test("whatever a file has, it is changed as it should be or refused", arguments: FormatUnderTest.all)
  func anything(kind: FormatUnderTest) throws {
    var random = SeededGenerator(seed: 11)
    let signs = Array("[]{}=\"'\\#;:.,\n\n\r\t x1<*/-_".utf8) + [0, 0xef, 0xbb, 0xbf, 0x80]
    let pieces = (kind.texts + kind.pieces).map(bytes)
    for _ in 0..<(isLongForm ? 1500 : 300) {
      var text: [UInt8] = []
      for _ in 0..<Int.random(in: 0..<12, using: &random) {
        if Bool.random(using: &random), let piece = pieces.randomElement(using: &random) {
          let start = Int.random(in: 0...piece.count, using: &random)
          text += piece[start...].prefix(Int.random(in: 0...piece.count, using: &random))
        } else if let sign = signs.randomElement(using: &random) {
          text.append(sign)
        }
      }
      guard let edits = try? kind.format.edits(for: text), !edits.isEmpty else { continue }
      let after = edits.applied(to: text)
      try expect(kind.format.undoing(edits, in: after), is: text, "\(text)")
      // No bytes inserted or removed crash the process, and nothing but the setting is removed.
      var later = after
      if let sign = signs.randomElement(using: &random) {
        later.insert(sign, at: Int.random(in: 0...later.count, using: &random))
      }
      if let undone = try? kind.format.undoing(edits, in: later) {
        try expect(
          kind.format.reading(of: undone).others, is: kind.format.reading(of: later).others, "\(later)")
      }
      _ = FormerCopy.undone(later, to: text, [kind.format])
    }
  }

  @Test("docker's file, written anew by docker, gives back what was there")
  func dockerRewrites() throws {
    let member = JSONMember(name: "credsStore", value: "llavero")
    let before = #"{"auths":{},"credsStore":"desktop"}"#
    let rewritten = "{\n\t\"auths\": {\n\t\t\"r\": {}\n\t},\n\t\"credsStore\": \"llavero\"\n}"
    try expect(
      unset(member, in: rewritten, before: before),
      is: "{\n\t\"auths\": {\n\t\t\"r\": {}\n\t},\n\t\"credsStore\": \"desktop\"\n}")
    try expect(
      unset(member, in: rewritten, before: "{}"), is: "{\n\t\"auths\": {\n\t\t\"r\": {}\n\t}\n}")
    try expect(
      unset(member, in: #"{"credsStore": "llavero", "a": 1}"#, before: "{}"), is: #"{"a": 1}"#)
    try expect(unset(member, in: #"{"credsStore": "pass"}"#, before: "{}"), is: nil)
  }

  @Test("a kubeconfig, written anew by kubectl, gives back what was there, and shows no token")
  func kubectlRewrites() throws {
    let user = KubeconfigExec(user: "prod", program: "/bin/llavero")
    let before = "users:\n- name: prod\n  user: {}\n"
    let rewritten = """
      apiVersion: v1
      users:
      - name: prod
        user:
          exec:
            apiVersion: client.authentication.k8s.io/v1
            args:
            - kubectl
            - prod
            command: /bin/llavero
            env: null
            interactiveMode: Never
            provideClusterInfo: true

      """
    try expect(
      unset(user, in: rewritten, before: before), is: "apiVersion: v1\nusers:\n- name: prod\n  user: {}\n")
    try expect(
      unset(user, in: rewritten + "    token: s3cret\n", before: before),
      is: "apiVersion: v1\nusers:\n- name: prod\n  user:\n    token: s3cret\n")
    let change = try user.change(from: bytes("users:\n- name: prod\n  user:\n    token: s3cret\n"))
    expect(change.added.first, is: "user prod:")
    expect(!change.added.joined().contains("s3cret") && change.removed.isEmpty)
  }

  @Test("of JSON, nothing is shown but the member")
  func noSecretsShown() throws {
    let change = try JSONMember(name: "credsStore", value: "llavero").change(
      from: bytes(#"{"auths":{"r":{"auth":"c2VjcmV0"}},"credsStore":"pass"}"#))
    expect(change.removed, is: [#""credsStore": "pass""#])
    expect(change.added, is: [#""credsStore": "llavero""#])
  }

  @Test("a record has nothing but the setting, and of JSON in one line no more than that")
  func noSecretsRecorded() throws {
    let text = #"{"auths":{"r":{"auth":"c2VjcmV0"}},"credsStore":"pass"}"#
    let edits = try JSONMember(name: "credsStore", value: "llavero").edits(for: bytes(text))
    expect(edits, is: [TextEdit(offset: 48, removed: bytes("\"pass\""), added: bytes("\"llavero\""))])
    let pip = INISetting(section: "global", key: "keyring-provider", value: "subprocess")
    let index = "[global]\nindex-url: https://alice:s3cret@i.example/\n"
    try expect(
      pip.edits(for: bytes(index)),
      is: [
        TextEdit(offset: index.utf8.count, removed: [], added: bytes("keyring-provider = subprocess\n"))
      ])
  }

  @Test("lines stand where their tool looks for them")
  func places() throws {
    let key = INISetting(section: "s", key: "k", value: "1")
    try expect(set(key, in: ""), is: "[s]\nk = 1\n")
    try expect(set(key, in: "[a]\nx = 1"), is: "[a]\nx = 1\n\n[s]\nk = 1\n")
    try expect(set(key, in: "[s]\nx = 1\n\n[t]\ny = 2\n"), is: "[s]\nx = 1\nk = 1\n\n[t]\ny = 2\n")
    try expect(set(key, in: "[s]\nk: 0\n"), is: "[s]\nk: 1\n")
    try expect(set(key, in: "[s]\n  a = 1\n    b\n  [t]\n"), is: "[s]\n  a = 1\n    b\n  k = 1\n  [t]\n")
    let registry = TOMLSetting("registry", "p", is: .strings(["l"]))
    try expect(
      set(registry, in: "registry.default = 1\n"), is: "registry.default = 1\nregistry.p = [\"l\"]\n")
    try expect(set(registry, in: "registry = { a = 1 }\n"), is: "registry = { p = [\"l\"], a = 1 }\n")
    try expect(
      set(registry, in: "[registry.x]\na = 1"), is: "[registry.x]\na = 1\n\n[registry]\np = [\"l\"]\n")
    try expect(set(TOMLSetting("k", is: .string("1")), in: "[s]\nx = 1\n"), is: "k = \"1\"\n[s]\nx = 1\n")
    try expect(
      set(GitHelperLines(helper: "llavero"), in: "[credential] helper = store\n"),
      is: "[credential] helper = store\n[credential]\n\thelper =\n\thelper = llavero\n")
    try expect(
      set(GitHelperLines(helper: "llavero"), in: "[credential]\n\thelper = llavero\n"),
      is: "[credential]\n\thelper = llavero\n")
    try expect(
      set(GitHelperLines(helper: "/a \"b\"/c;d"), in: ""),
      is: "[credential]\n\thelper = \"/a \\\"b\\\"/c;d\"\n")
    try expect(
      set(JSONMember(name: "credsStore", value: "llavero"), in: "{\n    \"auths\": {}\n}\n"),
      is: "{\n    \"credsStore\": \"llavero\",\n    \"auths\": {}\n}\n")
  }

  @Test("what can't be changed safely is left alone, with the reason")
  func faults() {
    func fault(_ format: some ConfigurationFormat, _ text: String) -> ConfigurationFault? {
      do throws(ConfigurationFault) {
        _ = try format.setting(in: bytes(text))
        return nil
      } catch {
        return error
      }
    }
    let key = TOMLSetting("registry", "providers", is: .element("l", of: []))
    for text in [
      "registry = 1\n", "[[registry]]\n", "registry.providers = 'a'\n", "registry.providers = [1]\n",
      "a = 1\na = 2\n",
      "[registry]\n[registry]\n", "registry.a = 1\n[registry]\n", "x\n", "a = \"b\n", "a = 1 b = 2\n",
      "registry = {}\nregistry.a = 1",
    ] {
      expect(fault(key, text) != nil, "\(text)")
    }
    let block = TerraformHelperBlock(helper: "x")
    expect(
      fault(block, "credentials_helper   \"y\" {\n}\n"),
      is: ConfigurationFault("it names another one already: y"))
    expect(fault(block, "credentials_helper \"x\" {}\n"), is: nil)
    for text in ["/* a\n", "a \"b\" {\n", "a = \"b\n", "}"] { expect(fault(block, text) != nil, "\(text)") }
    for text in [
      "[1]", "{", "{\"a\":1}}", "x", #"{"credsStore":1}"#, #"{"credsStore":"a","CREDSSTORE":"b"}"#,
    ] {
      expect(fault(JSONMember(name: "credsStore", value: "llavero"), text) != nil, "\(text)")
    }
    for text in [
      "[user\n", "[credential]\n\thelper = \"store\n", "= x\n", "[a]\nb c\n", "[credential]\nhelper\n",
      "[a]\nb = \\x\n", "[a]\nb = c\\",
    ] {
      expect(fault(GitHelperLines(helper: "llavero"), text) != nil, "\(text)")
    }
    let option = INISetting(section: "s", key: "k", value: "1")
    for text in [
      "k = 1\n", "[s]\nk = 1\nK: 2\n", "[s]\n[t]\n[s]\n", "[s]\nk\n", "[s]\ra = 1\n", "\u{FEFF}[s]\n",
    ] {
      expect(fault(option, text) != nil, "\(text)")
    }
    expect(fault(VariableLine(.npm, "a", is: "b"), "[s]\n") != nil)
    expect(fault(ProgramText(command: "/bin/llavero get"), "#!/bin/sh\nexec other\n") != nil)
    let user = KubeconfigExec(user: "prod", program: "/bin/l")
    for text in [
      "", "{}", "users: []\n", "users: [{name: prod, user: {}}]\n", "users:\n- name: prod\n",
      "users:\n- name: prod\n  user: {token: x}\n", "users:\n- name: prod\n  user: &a\n",
      "users:\n- name: prod\n  user:\n    auth-provider:\n      name: oidc\n",
      "users:\n- name: prod\n  user:\n    exec:\n      command: aws\n", "users:\n- name: prod\n\tuser: {}\n",
      "users:\n- name: prod\n  user: {}\nusers: []\n", "users:\n- name: prod\n  user:\n    a: \"b\n  c\"\n",
      "a: b\n---\nusers:\n- name: prod\n  user: {}\n", "users:\n- name: prod\n  user: {}\n a: b\n",
      "? a\nusers:\n- name: prod\n  user: {}\n", "a: *b\nusers:\n- name: prod\n  user: {}\n",
      "a: b\rusers:\n- name: prod\n  user: {}\n", "a: b\u{2028}c: d\nusers:\n- name: prod\n  user: {}\n",
    ] {
      expect(fault(user, text) != nil, "\(text)")
    }
    let helpers = BazelHelperLines(helper: "/bin/l", hosts: ["a.example"])
    expect(fault(helpers, "build \\") != nil)
    expect(fault(VariableLine(.environment, "A", is: "b"), "C=d \\\n") != nil)
    expect(fault(VariableLine(.wget, "a", is: "b"), "quiet\n") != nil)
  }

  @Test("what names no host for bazel goes when hosts are named")
  func unboundedHelper() throws {
    let helpers = BazelHelperLines(helper: "/bin/l", hosts: ["a.example"])
    let text = "build -c opt\ncommon --credential_helper=/bin/l\n"
    expect(helpers.isUnbounded(in: bytes(text)))
    try expect(helpers.cleaned(bytes(text)), is: bytes("build -c opt\n"))
    expect(!helpers.isUnbounded(in: try helpers.setting(in: helpers.cleaned(bytes(text)))))
  }

  @Test("a list of TOML gets one more, once")
  func lists() throws {
    let key = TOMLSetting("k", is: .element("x", of: ["d"]))
    try expect(set(key, in: ""), is: "k = [\"d\", \"x\"]\n")
    try expect(set(key, in: "k = []\n"), is: "k = [\"x\"]\n")
    try expect(set(key, in: "k = [\"a\", 'b',]"), is: "k = [\"a\", 'b', \"x\",]")
    try expect(set(key, in: "k = ['x']"), is: "k = ['x']")
    try expect(unset(key, in: "k = ['x', \"a\"]\n", before: "k = [\"a\"]\n"), is: "k = [ \"a\"]\n")
    try expect(unset(key, in: "k=['d','x']", before: ""), is: "")
  }

  @Test("a former path of llavero goes where the right one is there as well, or comes")
  func formerPaths() throws {
    let own = "cargo-credential-llavero"
    let key = TOMLSetting("k", is: .element(own, of: ["d"]))
    let (former, other) = ("/old/bin/cargo-credential-llavero", "/older/bin/llavero-credential")
    try expect(set(key, in: "k = [\"d\", \"\(own)\", \"\(former)\"]\n"), is: "k = [\"d\", \"\(own)\"]\n")
    try expect(set(key, in: "k = [\"\(former)\", \"\(own)\", 'x']\n"), is: "k = [ \"\(own)\", 'x']\n")
    try expect(set(key, in: "k = [\"\(former)\", 'x', \"\(other)\"]\n"), is: "k = [\"\(own)\", 'x']\n")
    // What is on the PATH no more is asked for in vain.
    let absolute = TOMLSetting("k", is: .element("/bin/\(own)", of: []))
    try expect(set(absolute, in: "k = ['x', '\(own)']\n"), is: "k = ['x', \"/bin/\(own)\"]\n")
    let bazel = BazelHelperLines(helper: "/b/bazel-credential-llavero", hosts: ["a"])
    let line = "common --credential_helper=a="
    let right = line + "/b/bazel-credential-llavero\n"
    try expect(
      set(bazel, in: line + "/old/bazel-credential-llavero\nbuild x\n" + right), is: "build x\n" + right)
  }

  @Test("another askpass of wget stays before llavero, and a former llavero doesn't")
  func formerAskpass() throws {
    var line = VariableLine(.wget, "use_askpass", is: "/b/llavero-askpass")
    line.keepsOthers = true
    let others = "use-askpass = /bin/ask\nquiet = on\n"
    let both = others + "use_askpass = /b/llavero-askpass\n"
    try expect(set(line, in: others), is: both)
    try expect(set(line, in: both), is: both)
    try expect(unset(line, in: both, before: others), is: others)
    try expect(
      set(line, in: "use_askpass = /old/llavero-askpass\n"), is: "use_askpass = /b/llavero-askpass\n")
  }

  @Test("go's list gives back what others have put there since")
  func goList() throws {
    let go = GoAuthList.setting("l goauth")
    try expect(unset(go, in: "A=1\nGOAUTH=l goauth;netrc\n", before: ""), is: "A=1\n")
    try expect(unset(go, in: "GOAUTH=l goauth;git /x\n", before: "GOAUTH=netrc\n"), is: "GOAUTH=git /x\n")
    try expect(unset(go, in: "A=1\nGOAUTH=l goauth\n", before: "GOAUTH=off\n"), is: "A=1\nGOAUTH=off\n")
  }

  @Test("a profile's section is found by the name that the SDKs see")
  func profiles() throws {
    expect(AWSProfile.name(ofSection: "profile \"my work\""), is: "my work")
    expect(AWSProfile.name(ofSection: "profile 'a'"), is: "a")
    expect(AWSProfile.name(ofSection: "profile my work"), is: nil)
    expect(AWSProfile.name(ofSection: "default"), is: "default")
    expect(AWSProfile.name(ofSection: "profiles"), is: nil)
    try expect(
      set(AWSProfile.setting("credential_process", is: "x", for: "my work"), in: "[profile my work]\n"),
      is: "[profile my work]\n\n[profile \"my work\"]\ncredential_process = x\n")
  }

  @Test(
    "the copy that version 0.1.0 kept comes back where nothing else has changed, and else what it had there")
  func formerCopies() {
    let docker: [any ConfigurationFormat] = [JSONMember(name: "credsStore", value: "llavero")]
    func undone(_ text: String, _ copy: String, _ formats: [any ConfigurationFormat]) -> String? {
      FormerCopy.undone(bytes(text), to: bytes(copy), formats).map { String(decoding: $0, as: UTF8.self) }
    }
    expect(
      undone(#"{"credsStore": "llavero","auths":{}}"#, #"{"auths":{}}"#, docker), is: #"{"auths":{}}"#)
    expect(
      undone(#"{"credsStore": "llavero","x":1}"#, #"{"credsStore":"pass"}"#, docker),
      is: #"{"credsStore": "pass","x":1}"#)
    expect(undone(#"{"x":1}"#, #"{"credsStore":"pass"}"#, docker), is: nil)
    let pip: [any ConfigurationFormat] = [INISetting(section: "global", key: "k", value: "1")]
    expect(undone("[global]\na = 2\nk = 1\n", "[global]\na = 2\nk=0\n", pip), is: "[global]\na = 2\nk=0\n")
    // The tool did not always understand what 0.1.0 wrote.
    let git: [any ConfigurationFormat] = [GitHelperLines(helper: "llavero")]
    expect(
      undone("[include]\npath = x\n[credential]\n\thelper = llavero\n", "[include]\npath = x\n", git),
      is: "[include]\npath = x\n")
    let twice = "[global]\nk: 0\nk = 1\n"
    expect(undone(twice, "[global]\nk: 0\n", pip), is: "[global]\nk: 0\n")
    expect(undone(twice, "[global]\nk: 0\n[gone]\n", pip), is: nil)
    expect(FormerCopy.isNeeded(for: bytes(twice), pip))
    expect(!FormerCopy.isNeeded(for: bytes("[global]\nk: 0\n"), pip))
    expect(undone("# new\n[global]\nk = 1\n", "[global]\nk=0\n", pip), is: "# new\n[global]\nk = 0\n")
  }
}
