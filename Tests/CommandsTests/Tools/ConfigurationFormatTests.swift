import Expectations
import TestSupport
import Testing

@testable import Commands

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

private let block = MarkedBlock(name: "tool")

/// How a text gets the format's settings, where the tool's own command makes `written` of it.
private func change(
  _ format: some ConfigurationFormat, _ text: String, written: String? = nil
) throws(ConfigurationFault) -> (edit: TextEdit?, byHand: ByHand?) {
  try format.change(of: bytes(text), like: bytes(text), in: format.block(named: block.name)) { _ in
    written.map(bytes)
  }
}

private func set(_ format: some ConfigurationFormat, in text: String) throws -> String? {
  try change(format, text).edit.map { String(decoding: $0.applied(to: bytes(text)), as: UTF8.self) }
}

/// Undoes, in a text, the edit that makes the settings in an earlier one.
private func unset(_ format: some ConfigurationFormat, in text: String, before: String) throws -> String? {
  guard let edit = try change(format, before).edit else { return nil }
  return try format.undone(edit, in: bytes(text), format.block(named: block.name)).map {
    String(decoding: $0, as: UTF8.self)
  }
}

/// Lines between the comments.
private func marked(_ lines: String) -> String { "# llavero: begin tool\n\(lines)# llavero: end tool\n" }

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
      format: INISetting([("registry", "providers", "llavero"), ("registry", "more", "1")]),
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
      name: "variable of wget", format: VariableLines(.wget, "use_askpass", is: "/bin/x y"),
      texts: ["", "useaskpass=/z", "# use_askpass = 1\n", "USE-ASKPASS = a\nquiet=on\n"],
      pieces: ["useaskpass = 1\n", "# c\n", "\n", "Quiet = on\r\n", "use_askpass=2\n"]),
    FormatUnderTest(
      name: "variable of the desktop",
      format: VariableLines(
        .environment, ("SSH_ASKPASS", { _ in "/bin/x" }), ("FALLBACK", { $0 ?? "/bin/y" }), ("NONE", { $0 })),
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
      name: "setting of npm", format: VariableLines(.npm, "//a.example/:tokenHelper", is: "/bin/x"),
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
      texts: ["", "# mine\n"], pieces: []),
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
    "the settings are made once, and taken back to the very text that was there",
    arguments: FormatUnderTest.all)
  func roundTrip(kind: FormatUnderTest) throws {
    let (format, block) = (kind.format, kind.format.block(named: "tool"))
    var texts = kind.texts
    var random = SeededGenerator(seed: 7)
    for _ in 0..<(kind.pieces.isEmpty ? 0 : rounds(400)) {
      let count = Int.random(in: 0..<6, using: &random)
      texts.append((0..<count).map { _ in kind.pieces.randomElement(using: &random) ?? "" }.joined())
    }
    var refused = 0
    for text in texts {
      let before = bytes(text)
      do throws(ConfigurationFault) {
        if try format.isMade(in: before) { continue }
        let change = try format.change(of: before, like: before, in: block) { _ in nil }
        if let byHand = change.byHand { expect(byHand.instruction.contains(": "), "\(text)") }
        guard let edit = change.edit else { continue }
        let after = edit.applied(to: before)
        try expect(format.isMade(in: after), is: true, "\(text)")
        try expect(format.reading(of: after).others, is: try format.reading(of: before).others, "\(text)")
        try expect(format.undone(edit, in: after, block), is: before, "\(text)")
        // Without a record, the comments show what to take out, and nothing else goes.
        if let without = block.removed(from: after) {
          try expect(format.reading(of: without), is: try format.reading(of: before), "\(text)")
        }
        // The shortest difference is an edit that does the same.
        expect(TextEdit(from: before, to: after).applied(to: before), is: after, "\(text)")
      } catch {
        // Its tool would also refuse most of these.
        refused += 1
      }
    }
    for text in kind.texts.map(bytes) where try !format.isMade(in: text) {
      #expect(throws: Never.self) { try format.change(of: text, like: text, in: block) { _ in nil } }
    }
    expect(refused * 10 < texts.count * 9)
  }

  @Test(
    "what is added elsewhere later stays when the settings are taken back",
    arguments: FormatUnderTest.all.dropLast())
  func laterChanges(kind: FormatUnderTest) throws {
    let (format, block) = (kind.format, kind.format.block(named: "tool"))
    for text in kind.texts where !text.isEmpty {
      let before = bytes(text)
      guard try !format.isMade(in: before),
        let edit = try format.change(of: before, like: before, in: block, running: { _ in nil }).edit
      else { continue }
      let after = edit.applied(to: before)
      // At the end, so that nothing is in its former position, and without the comments, as tools write files anew.
      var texts = [
        after + bytes(after.last == 0x0a ? "# later\n" : "\n# later\n"), bytes("# later\n\n") + after,
      ]
      let lines = String(decoding: after, as: UTF8.self).split(
        separator: "\n", omittingEmptySubsequences: false)
      texts.append(bytes("# later\n" + lines.filter { !$0.hasPrefix("# llavero: ") }.joined(separator: "\n")))
      for later in texts {
        if text.hasPrefix("\u{FEFF}"), later.starts(with: bytes("#")) { continue }
        let undone = try format.undone(edit, in: later, block)
        let lines = undone.map { $0.string(0..<$0.count).split(whereSeparator: \.isNewline) }
        expect(lines?.contains("# later"), is: true, "\(text)")
        if let undone {
          try expect(format.reading(of: undone), is: try format.reading(of: before), "\(text)")
        }
      }
    }
  }

  @Test("whatever a file has, it is changed as it should be or left", arguments: FormatUnderTest.all)
  func anything(kind: FormatUnderTest) throws {
    let (format, block) = (kind.format, kind.format.block(named: "tool"))
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
      guard (try? format.isMade(in: text)) == false,
        let edit = try? format.change(of: text, like: text, in: block, running: { _ in nil }).edit
      else { continue }
      let after = edit.applied(to: text)
      try expect(format.undone(edit, in: after, block), is: text, "\(text)")
      // No bytes inserted or removed crash the process, and nothing but the settings is removed.
      var later = after
      if let sign = signs.randomElement(using: &random) {
        later.insert(sign, at: Int.random(in: 0...later.count, using: &random))
      }
      if let undone = try? format.undone(edit, in: later, block) {
        try expect(format.reading(of: undone).others, is: format.reading(of: later).others, "\(later)")
      }
    }
  }

  @Test("the lines of git's file are shown with those that an empty one resets")
  func ownLines() throws {
    let git = GitHelperLines(helper: "llavero")
    let text = bytes("[credential]\n\thelper = store\n\thelper =\n\thelper = llavero\n")
    try expect(git.ownLines(in: text), is: ["helper = store", "helper =", "helper = llavero"])
    expect(git.resets(text))
    expect(!git.resets(bytes("[credential]\n\thelper = store\n")))
  }

  @Test("lines of a block stay where something else stands between them now")
  func insideTheBlock() throws {
    let git = GitHelperLines(helper: "llavero")
    let added = marked("[credential]\n\thelper = llavero\n")
    // As git and pip write.
    let later =
      "[user]\n\tname = A\n" + added.replacing("# llavero: end", with: "\tusername = me\n# llavero: end")
    try expect(
      unset(git, in: later, before: "[user]\n\tname = A\n"),
      is: "[user]\n\tname = A\n[credential]\n\tusername = me\n")
    let pip = INISetting([("global", "k", "1")])
    try expect(unset(pip, in: "[global]\nk = 1\na = 2\n", before: ""), is: "[global]\na = 2\n")
    try expect(unset(pip, in: marked("[global]\nk = 2\n"), before: ""), is: "[global]\nk = 2\n")
    // What a person has put between the comments is no block of llavero's.
    let mixed = bytes(marked("[global]\nk = 1\na = 2\n"))
    expect(!pip.isWithout(block.removed(from: mixed) ?? mixed, mixed))
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

  @Test("what a tool's own command writes is taken if nothing else is otherwise then")
  func ownCommands() throws {
    let pip = INISetting(
      [("global", "keyring-provider", "subprocess")],
      command: OwnCommand(programs: [], file: "", variables: { _ in [] }, arguments: { _, _ in [] }))
    let index = "[global]\nindex-url = https://alice:s3cret@i.example/\n"
    let written = index + "keyring-provider = subprocess\n\n"
    let edit = try #require(change(pip, index, written: written).edit)
    expect(edit.applied(to: bytes(index)), is: bytes(written))
    try expect(pip.undone(edit, in: bytes(written), block), is: bytes(index))
    // It would form the line with the password anew, take a comment away, or another value.
    let spaced = index.replacing(" = ", with: "=")
    for (text, written) in [
      (spaced, written), ("[global]\n# c\n", "[global]\nkeyring-provider = subprocess\n"),
      (index, "[global]\nkeyring-provider = subprocess\n"), (index, index), (index, "["),
    ] {
      let change = try change(pip, text, written: written)
      expect(change.edit, is: nil)
      expect(
        change.byHand, is: ByHand(["keyring-provider = subprocess"], "below line 1", because: "[global]"))
    }
    let go = GoAuthList.setting("/b/llavero goauth")
    let list = try #require(change(go, "GOAUTH=git /x\n", written: "GOAUTH=/b/llavero goauth;git /x\n").edit)
    expect(list, is: TextEdit(offset: 7, removed: [], added: bytes("/b/llavero goauth;")))
    try expect(
      go.undone(list, in: bytes("A=1\nGOAUTH=/b/llavero goauth;netrc\n"), block),
      is: bytes("A=1\nGOAUTH=netrc\n"))
    let off = try #require(change(go, "GOAUTH=off\n", written: "GOAUTH=/b/llavero goauth\n").edit)
    try expect(go.undone(off, in: bytes("GOAUTH=/b/llavero goauth\n"), block), is: bytes("GOAUTH=off\n"))
    try expect(go.undone(off, in: bytes("GOAUTH=/b/llavero goauth;netrc\n"), block), is: nil)
  }

  @Test(
    "of a kubeconfig, what kubectl writes is taken, and given back also where kubectl has written it anew")
  func kubectl() throws {
    let user = KubeconfigExec(user: "prod", program: "/bin/llavero")
    let exec = """
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
    let before = "apiVersion: v1\nusers:\n- name: prod\n  user: {}\n"
    let after = before.replacing(" {}\n", with: "\n" + exec)
    let edit = try #require(change(user, before, written: after).edit)
    try expect(user.isMade(in: bytes(after)), is: true)
    try expect(user.undone(edit, in: bytes(after), block), is: bytes(before))
    try expect(
      user.undone(edit, in: bytes(after + "    token: s3cret\n"), block),
      is: bytes("apiVersion: v1\nusers:\n- name: prod\n  user:\n    token: s3cret\n"))
    try expect(
      user.undone(edit, in: bytes("kind: Config\n" + after), block), is: bytes("kind: Config\n" + before))
    let withToken = "users:\n- name: prod\n  user:\n    token: s3cret\n"
    let written = withToken.replacing("    token", with: exec + "    token")
    let insertion = try #require(change(user, withToken, written: written).edit)
    expect(insertion, is: TextEdit(offset: 28, removed: [], added: bytes(exec)))
    // Another path of llavero's gives way to the right one.
    let former = after.replacing("/bin/", with: "/old/")
    try expect(change(user, former, written: after).edit?.applied(to: bytes(former)), is: bytes(after))
    // kubectl would lose a comment, and form anew what has a password.
    for text in ["# c\n" + before, "users:\n- name: prod\n  user: {token: x}\n"] {
      let change = try change(user, text, written: after)
      expect(change.edit, is: nil)
      expect(
        change.byHand?.instruction.hasPrefix("type kubectl config set-credentials prod --exec-api"), is: true)
    }
  }

  @Test("of JSON, a record has nothing but the setting")
  func noSecretsRecorded() throws {
    let text = #"{"auths":{"r":{"auth":"c2VjcmV0"}},"credsStore":"pass"}"#
    let member = JSONMember(name: "credsStore", value: "llavero")
    try expect(
      change(member, text).edit,
      is: TextEdit(offset: 48, removed: bytes("\"pass\""), added: bytes("\"llavero\"")))
    try expect(member.reading(of: bytes(text)).setting.map(\.line), is: [#""credsStore": "pass""#])
  }

  @Test("lines stand where their tool looks for them")
  func places() throws {
    let key = INISetting([("s", "k", "1"), ("s", "l", "2")], separator: "=")
    let lines = marked("[s]\nk=1\nl=2\n")
    try expect(set(key, in: ""), is: lines)
    try expect(set(key, in: "[a]\nx = 1"), is: "[a]\nx = 1\n" + lines)
    try expect(
      set(key, in: "[a]\r\nx = 1\r\n"), is: "[a]\r\nx = 1\r\n" + lines.replacing("\n", with: "\r\n"))
    let unit = INISetting([("Unit", "A", "1"), ("Service", "B", "2")], separator: "=")
    try expect(set(unit, in: ""), is: marked("[Unit]\nA=1\n[Service]\nB=2\n"))
    let registry = TOMLSetting("registry", "p", is: .strings(["l"]))
    try expect(
      set(registry, in: "[registry.x]\na = 1"),
      is: "[registry.x]\na = 1\n" + marked("[registry]\np = [\"l\"]\n"))
    try expect(
      set(TOMLSetting("k", is: .string("1")), in: "[s]\nx = 1\n"), is: marked("k = \"1\"\n") + "[s]\nx = 1\n")
    try expect(
      set(GitHelperLines(helper: "llavero"), in: "[credential] helper = store\n"),
      is: "[credential] helper = store\n" + marked("[credential]\n\thelper =\n\thelper = llavero\n"))
    try expect(
      GitHelperLines(helper: "llavero").isMade(in: bytes("[credential]\n\thelper = llavero\n")), is: true)
    try expect(
      set(GitHelperLines(helper: "/a \"b\"/c;d"), in: ""),
      is: marked("[credential]\n\thelper = \"/a \\\"b\\\"/c;d\"\n"))
    let forwarded = GitHelperLines(helper: "llavero", sendsPath: true)
    try expect(
      set(forwarded, in: ""), is: marked("[credential]\n\thelper = llavero\n\tuseHttpPath = true\n"))
    try expect(forwarded.isMade(in: bytes("[credential]\n\thelper = llavero\n")), is: false)
    try expect(
      forwarded.isMade(in: bytes("[credential]\n\tuseHttpPath = false\n\thelper = llavero\n")), is: true)
    try expect(
      set(JSONMember(name: "credsStore", value: "llavero"), in: "{\n    \"auths\": {}\n}\n"),
      is: "{\n    \"credsStore\": \"llavero\",\n    \"auths\": {}\n}\n")
    try expect(
      set(ProgramText(prefix: "Bearer ", command: "/bin/llavero get"), in: ""),
      is: "#!/bin/sh\nprintf 'Bearer '\nexec /bin/llavero get\n")
  }

  @Test("where a section or table is there already, the line and its place are told, and that line counts")
  func leftToPerson() throws {
    let key = INISetting([("s", "k", "1"), ("s", "l", "2")])
    let list = TOMLSetting("registry", "p", is: .element("x", of: ["d"]))
    let top = TOMLSetting("p", is: .string("x"))
    let program = ProgramText(command: "/bin/llavero get")
    let former = "common --credential_helper=a=/old/bazel-credential-llavero"
    let bazel = BazelHelperLines(helper: "/b/bazel-credential-llavero", hosts: ["a"])
    func leaves(
      _ format: some ConfigurationFormat, _ text: String, _ lines: [String], _ place: String, because: String
    ) throws {
      try expect(format.isMade(in: bytes(text)), is: false, "\(text)")
      let change = try change(format, text)
      expect(change.edit, is: nil, "\(text)")
      expect(change.byHand, is: ByHand(lines, place, because: because), "\(text)")
    }
    try leaves(key, "\n[s]\na = 1\n[t]\n", ["k = 1", "l = 2"], "below line 2", because: "[s]")
    try leaves(key, "[s]\nk: 0\nl: 2\n", ["k = 1"], "in place of line 2", because: "another k")
    let both = ["p = [\"d\", \"x\"]"]
    try leaves(list, "a = 1\n[registry]\nb = 2\n", both, "below line 2", because: "[registry]")
    for (text, line) in [("registry = { b = 2 }\n", 1), ("\nregistry.b = 2\n", 2)] {
      try leaves(list, text, both, "into the table registry of line \(line)", because: "registry")
    }
    try leaves(
      list, "[registry]\np = [\"a\",\n 'b',\n]\n", ["p = [\"a\", \"b\", \"x\"]"], "in place of lines 2 to 4",
      because: "p")
    // llavero at a former path gives way.
    try leaves(
      list, "[registry]\np = [\"/old/llavero-credential\", \"a\"]\n", ["p = [\"a\", \"x\"]"],
      "in place of line 2", because: "p")
    try leaves(top, "p = \"y\"\n", ["p = \"x\""], "in place of line 1", because: "p")
    try leaves(
      GoAuthList.setting("/b/llavero goauth"), "A=1\nGOAUTH=git /x\n", ["GOAUTH=/b/llavero goauth;git /x"],
      "in place of line 2", because: "GOAUTH")
    try leaves(
      program, "#!/bin/sh\nexec /old/llavero get\n", ["exec /bin/llavero get"],
      "in place of exec /old/llavero get", because: "another llavero")
    try leaves(
      bazel, "build x\n\(former)\n", ["common --credential_helper=a=/b/bazel-credential-llavero"],
      "in place of \(former)", because: "another llavero")
    try expect(key.isMade(in: bytes("[s]\nK: 1\na = 1\nl=2\n")), is: true)
    try expect(list.isMade(in: bytes("registry = { p = ['b', 'x'] }\n")), is: true)
    try expect(list.isMade(in: bytes("[registry]\np = ['x', '/old/llavero']\n")), is: false)
    try expect(bazel.isMade(in: bytes("\(former)\n")), is: false)
  }

  @Test("what can't be changed safely is left alone, with the reason")
  func faults() {
    func fault(_ format: some ConfigurationFormat, _ text: String) -> ConfigurationFault? {
      do throws(ConfigurationFault) {
        _ = try change(format, text)
        return nil
      } catch {
        return error
      }
    }
    func refuses(_ format: some ConfigurationFormat, _ texts: String...) {
      for text in texts { expect(fault(format, text) != nil, "\(text)") }
    }
    let key = TOMLSetting("registry", "providers", is: .element("l", of: []))
    refuses(
      key,
      "registry = 1\n", "[[registry]]\n", "registry.providers = 'a'\n", "registry.providers = [1]\n",
      "a = 1\na = 2\n",
      "[registry]\n[registry]\n", "registry.a = 1\n[registry]\n", "x\n", "a = \"b\n", "a = 1 b = 2\n",
      "registry = {}\nregistry.a = 1")
    let helper = TerraformHelperBlock(helper: "x")
    expect(
      fault(helper, "credentials_helper   \"y\" {\n}\n"),
      is: ConfigurationFault("it names another one already: y"))
    // Terraform stops reading after an object of JSON.
    expect(
      fault(helper, "\n{\"disable_checkpoint\": true}\n"),
      is: ConfigurationFault("it is JSON", byHand: [#""credentials_helper": {"x": {"args": []}}"#]))
    refuses(
      helper,
      "/* a\n", "a \"b\" {\n", "a = \"b\n", "}", "\u{FEFF}a = true\n", "a = true\rb \"c\" {\n}\n")
    refuses(
      JSONMember(name: "credsStore", value: "llavero"),
      "[1]", "{", "{\"a\":1}}", "x", #"{"credsStore":1}"#, #"{"credsStore":"a","CREDSSTORE":"b"}"#)
    refuses(
      GitHelperLines(helper: "llavero"),
      "[user\n", "[credential]\n\thelper = \"store\n", "= x\n", "[a]\nb c\n", "[credential]\nhelper\n",
      "[a]\nb = \\x\n", "[a]\nb = c\\")
    let option = INISetting([("s", "k", "1")])
    refuses(
      option,
      "k = 1\n", "[s]\nk = 1\nK: 2\n", "[s]\n[t]\n[s]\n", "[s]\nk\n", "[s]\ra = 1\n", "\u{FEFF}[s]\n")
    refuses(VariableLines(.npm, "a", is: "b"), "[s]\n")
    refuses(ProgramText(command: "/bin/llavero get"), "#!/bin/sh\nexec other\n")
    let user = KubeconfigExec(user: "prod", program: "/bin/l")
    refuses(
      user,
      "", "{}", "users: []\n", "users: [{name: prod, user: {}}]\n", "users:\n- name: prod\n",
      "users:\n- name: prod\n  user: &a\n",
      "users:\n- name: prod\n  user:\n    auth-provider:\n      name: oidc\n",
      "users:\n- name: prod\n  user:\n    exec:\n      command: aws\n", "users:\n- name: prod\n\tuser: {}\n",
      "users:\n- name: prod\n  user: {}\nusers: []\n", "users:\n- name: prod\n  user:\n    a: \"b\n  c\"\n",
      "a: b\n---\nusers:\n- name: prod\n  user: {}\n", "users:\n- name: prod\n  user: {}\n a: b\n",
      "? a\nusers:\n- name: prod\n  user: {}\n", "a: *b\nusers:\n- name: prod\n  user: {}\n",
      "a: b\rusers:\n- name: prod\n  user: {}\n", "a: b\u{2028}c: d\nusers:\n- name: prod\n  user: {}\n")
    let helpers = BazelHelperLines(helper: "/bin/l", hosts: ["a.example"])
    refuses(helpers, "build \\")
    refuses(VariableLines(.environment, "A", is: "b"), "C=d \\\n")
    refuses(VariableLines(.wget, "a", is: "b"), "quiet\n")
  }

  @Test("bazel's hosts of before stay, each with the right helper")
  func bazelsHosts() throws {
    let bazel = BazelHelperLines(helper: "/b/bazel-credential-llavero", hosts: ["b", "c"])
    let option = "common --credential_helper="
    let other = option + "c=/b/bazel-credential-llavero\n"
    let before = marked(option + "a=/old/bazel-credential-llavero\n")
    let edit = try bazel.change(of: bytes(other), like: bytes(other + before), in: block) { _ in nil }.edit
    let helper = "/b/bazel-credential-llavero\n"
    expect(
      edit?.applied(to: bytes(other)),
      is: bytes(other + marked("\(option)a=\(helper)\(option)b=\(helper)")))
  }

  @Test("another askpass of wget stays before llavero, and so does ssh's, once it is known")
  func otherAskpass() throws {
    let wget = VariableLines(.wget, "use_askpass", is: "/b/llavero-askpass")
    let others = "use-askpass = /bin/ask\nquiet = on\n"
    let both = others + marked("use_askpass = /b/llavero-askpass\n")
    try expect(set(wget, in: others), is: both)
    try expect(wget.isMade(in: bytes(both)), is: true)
    try expect(unset(wget, in: both, before: others), is: others)
    let ssh = VariableLines(.environment, ("A", { _ in "/new" }), ("F", { $0 }))
    let old = bytes(marked("A=/old\nF=/bin/ask\n"))
    try expect(
      ssh.change(of: [], like: old, in: block) { _ in nil }.edit?.added,
      is: bytes(marked("A=/new\nF=/bin/ask\n")))
  }

  @Test("a profile's section is found by the name that the SDKs see")
  func profiles() throws {
    expect(AWSProfile.name(ofSection: "profile \"my work\""), is: "my work")
    expect(AWSProfile.name(ofSection: "profile 'a'"), is: "a")
    expect(AWSProfile.name(ofSection: "profile my work"), is: nil)
    expect(AWSProfile.name(ofSection: "default"), is: "default")
    expect(AWSProfile.name(ofSection: "profiles"), is: nil)
    try expect(
      set(AWSProfile.setting("x", for: "my work"), in: "[profile my work]\n"),
      is: "[profile my work]\n" + marked("[profile \"my work\"]\ncredential_process = x\n"))
  }

  @Test("a last line that goes on doesn't take the block with it")
  func continued() {
    for (text, begins) in [
      ("x = a\\\n", true), ("x = a\\\r\n", true), ("x = a\n", false), ("x = a", true), ("", false),
    ] {
      let edit = MarkedBlock(name: "git").insertion(of: ["helper = llavero"], in: bytes(text))
      expect(edit.added.first == 0x0a || edit.added.first == 0x0d, is: begins, "\(text)")
    }
  }
}

@Suite("git's configuration") struct GitEntriesTests {
  @Test("has the names by which git tells entries apart")
  func names() throws {
    let text = "[Credential \"https://A.example\"]\n\tUserName = x\n[a \"b\\\"c\"]\nd\n[a]\ne = 1\n"
    expect(
      try GitEntries(bytes(text)).entries.map { String(decoding: $0.name, as: UTF8.self) },
      is: ["credential.https://A.example.username", "a.b\"c.d", "a.e"])
  }
}
