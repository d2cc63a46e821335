import TestSupport
import Testing

@testable import Commands

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

private func set(_ format: some ConfigurationFormat, in text: String) throws -> String {
  String(decoding: try format.setting(in: bytes(text)), as: UTF8.self)
}

private func unset(_ format: some ConfigurationFormat, in text: String, before: String) throws -> String? {
  try format.unsetting(in: bytes(text), before: bytes(before)).map { String(decoding: $0, as: UTF8.self) }
}

/// One of each kind, with texts that its tool reads.
struct FormatUnderTest: Sendable, CustomTestStringConvertible {
  let name: String
  let format: any ConfigurationFormat
  let texts: [String]
  /// What the tool would take for other settings of its own.
  let pieces: [String]

  var testDescription: String { name }

  static let all = [
    FormatUnderTest(
      name: "key in a section", format: KeyedLine("providers", in: "registry", is: "\"llavero\""),
      texts: [
        "", "[registry]\n", "[registry]\nproviders = \"x\"\n", "a = 1",
        "[registry]\na = 1\n\n[other]\nb = 2\n",
        "[other]\nproviders = \"mine\"\n", "# [registry]\n# providers = 1\n",
        "[ registry ] # ours\nproviders=2",
        "\n\n[registry]\r\na = 1\r\n",
      ], pieces: ["[registry]\n", "[x]\n", "providers = 1\n", "# c\n", "\n", "a = \"b\"\n"]),
    FormatUnderTest(
      name: "key without a section", format: KeyedLine("GOAUTH", separator: "=", is: "llavero goauth"),
      texts: ["", "GOPROXY=off\n", "GOAUTH=netrc\nGOFLAGS=-x\n", "GOFLAGS=-x", "[s]\nGOAUTH=1\n"],
      pieces: ["GOAUTH=netrc\n", "GOPROXY=off\n", "# c\n", "\n", "[s]\n"]),
    FormatUnderTest(
      name: "lines at the end",
      format: AppendedLines(lines: ["common --x=ours"], beginning: "common --x=", isOnlyOne: false),
      texts: ["", "build -c opt\n", "common --x=other", "common --x=ours-not\n"],
      pieces: ["build -c opt\n", "common --x=other\n", "\n"]),
    FormatUnderTest(
      name: "git's helpers", format: GitHelperLines(helper: "llavero"),
      texts: [
        "", "[user]\n\tname = A\n", "[credential]\n\thelper = store\n",
        "[Credential]\n\thelper = \"cache --timeout 1\"", "[credential \"https://x\"]\n\thelper = gh\n",
        "[credential]\n\thelper = store\n\thelper =\n",
      ], pieces: ["[user]\n", "[credential]\n", "\thelper = store\n", "\thelper =\n", "\tname = x\n"]),
    FormatUnderTest(
      name: "member of JSON", format: JSONMember(name: "credsStore", value: "llavero"),
      texts: [
        "", "{}", "{ }\n", "{\n\t\"auths\": {}\n}", #"{"credsStore":"desktop"}"#,
        #"{"auths":{"a":{"auth":"eA=="}},"credsStore":"pass","x":[1,{"credsStore":"inner"}]}"#, "\n",
      ], pieces: []),
    FormatUnderTest(
      name: "two at once",
      format: CombinedFormat(parts: [
        KeyedLine("default", in: "backend", separator: "=", is: "a"),
        KeyedLine("path", in: "backend", separator: "=", is: "b"),
      ]),
      texts: ["", "[backend]\ndefault=x\n", "[backend]\npath=y\n[z]\n", "[z]\npath=1"],
      pieces: ["[backend]\n", "default=1\n", "path=2\n", "[z]\n", "\n"]),
  ]
}

@Suite("Configurations of other programs")
struct ConfigurationFormatTests {
  @Test(
    "a setting is made once, and taken back to the very text that was there", arguments: FormatUnderTest.all)
  func roundTrip(kind: FormatUnderTest) throws {
    var texts = kind.texts
    var random = SeededGenerator(seed: 7)
    for _ in 0..<(kind.pieces.isEmpty ? 0 : 400) {
      let count = Int.random(in: 0..<6, using: &random)
      texts.append((0..<count).map { _ in kind.pieces.randomElement(using: &random) ?? "" }.joined())
    }
    for text in texts {
      let before = bytes(text)
      let after = try kind.format.setting(in: before)
      #expect(try kind.format.setting(in: after) == after, "\(text)")
      #expect(try kind.format.unsetting(in: after, before: before) == before, "\(text)")
      #expect(try kind.format.current(in: after)?.isEmpty == false, "\(text)")
      if after == before { continue }
      let change = try kind.format.change(from: before)
      #expect(!change.added.isEmpty)
    }
  }

  @Test(
    "what is added elsewhere later stays when the setting is taken back",
    arguments: FormatUnderTest.all.dropLast())
  func laterChanges(kind: FormatUnderTest) throws {
    for text in kind.texts where !text.isEmpty {
      let before = bytes(text)
      let after = try kind.format.setting(in: before)
      if after == before || kind.pieces.isEmpty { continue }
      let ending = after.last == 0x0a ? "# later\n" : "\n# later\n"
      let undone = try kind.format.unsetting(in: after + bytes(ending), before: before)
      let lines = undone.map { LineChange.lines($0).map { String(decoding: $0, as: UTF8.self) } }
      #expect(lines?.contains("# later") == true, "\(text)")
      if let undone { #expect(try kind.format.setting(in: undone) != undone, "\(text)") }
    }
  }

  @Test("docker's file, written anew by docker, gives back what was there")
  func dockerRewrites() throws {
    let member = JSONMember(name: "credsStore", value: "llavero")
    let before = #"{"auths":{},"credsStore":"desktop"}"#
    let rewritten = "{\n\t\"auths\": {\n\t\t\"r\": {}\n\t},\n\t\"credsStore\": \"llavero\"\n}"
    #expect(
      try unset(member, in: rewritten, before: before)
        == "{\n\t\"auths\": {\n\t\t\"r\": {}\n\t},\n\t\"credsStore\": \"desktop\"\n}")
    #expect(
      try unset(member, in: rewritten, before: "{}") == "{\n\t\"auths\": {\n\t\t\"r\": {}\n\t}\n}")
    #expect(
      try unset(member, in: #"{"credsStore": "llavero", "a": 1}"#, before: "{}") == #"{"a": 1}"#)
    #expect(try unset(member, in: #"{"credsStore": "pass"}"#, before: "{}") == nil)
  }

  @Test("of JSON, nothing is shown but the member")
  func noSecretsShown() throws {
    let change = try JSONMember(name: "credsStore", value: "llavero").change(
      from: bytes(#"{"auths":{"r":{"auth":"c2VjcmV0"}},"credsStore":"pass"}"#))
    #expect(change.removed == [#""credsStore": "pass""#])
    #expect(change.added == [#""credsStore": "llavero""#])
  }

  @Test("lines stand where their tool looks for them")
  func places() throws {
    let key = KeyedLine("k", in: "s", is: "1")
    #expect(try set(key, in: "") == "[s]\nk = 1\n")
    #expect(try set(key, in: "[a]\nx = 1") == "[a]\nx = 1\n\n[s]\nk = 1\n")
    #expect(try set(key, in: "[s]\nx = 1\n\n[t]\ny = 2\n") == "[s]\nx = 1\nk = 1\n\n[t]\ny = 2\n")
    #expect(try set(key, in: "[s]\nk=0\n") == "[s]\nk = 1\n")
    #expect(try set(KeyedLine("k", separator: "=", is: "1"), in: "[s]\nx = 1\n") == "k=1\n[s]\nx = 1\n")
    #expect(
      try set(GitHelperLines(helper: "llavero"), in: "[credential]\n\thelper = store\n")
        == "[credential]\n\thelper = store\n[credential]\n\thelper =\n\thelper = llavero\n")
    #expect(
      try set(GitHelperLines(helper: "llavero"), in: "[credential]\n\thelper = llavero\n")
        == "[credential]\n\thelper = llavero\n")
    #expect(
      try set(JSONMember(name: "credsStore", value: "llavero"), in: "{\n    \"auths\": {}\n}\n")
        == "{\n    \"credsStore\": \"llavero\",\n    \"auths\": {}\n}\n")
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
    let key = KeyedLine("providers", in: "registry", is: "[]")
    #expect(fault(key, "[registry]\nproviders = [\n  \"a\",\n]\n") != nil)
    #expect(fault(key, "registry.providers = [\"a\"]\n") != nil)
    let block = AppendedLines(lines: ["helper \"x\""], beginning: "helper ", isOnlyOne: true)
    #expect(fault(block, "helper \"y\"\n") == ConfigurationFault("it names another one already: \"y\""))
    #expect(fault(block, "helper \"x\"\n") == nil)
    for text in ["[1]", "{", "{\"a\":1}}", "x", #"{"credsStore":1}"#] {
      #expect(fault(JSONMember(name: "credsStore", value: "llavero"), text) != nil, "\(text)")
    }
  }

  @Test("a list of TOML gets one more, once")
  func lists() throws {
    #expect(try TOMLArray.appending("x", to: "[]") == #"["x"]"#)
    #expect(try TOMLArray.appending("x", to: #"["a", 'b',]"#) == #"["a", 'b', "x"]"#)
    #expect(try TOMLArray.appending("x", to: "['x']") == "['x']")
    #expect(throws: ConfigurationFault.self) { try TOMLArray.appending("x", to: "\"a\"") }
  }
}
