import Expectations
import Interchange
import Keychain
import Testing

@Suite("cargo's tokens")
struct CargoCredentialsFileTests {
  @Test("a token is kept under the index of its registry, which the configuration names")
  func tokens() throws {
    let found = try Found(sample: "cargo-credentials.toml", as: .cargo, beside: "cargo-config.toml")
    expect(
      found.logins,
      is: [
        "https://github.com/rust-lang/crates.io-index for cargo cio-Pw-1",
        "sparse+https://crates.corp.example/index for cargo Bearer Pw-2\"x\\",
        "sparse+https://crates.corp.example/other for cargo Pw'3",
      ])
    expect(found.labels, is: [nil, "cargo registry corp", "cargo registry with_under-score"])
    expect(found.passedOver.isEmpty)
  }

  @Test("without the configuration only crates.io is known")
  func withoutConfiguration() throws {
    let found = try Found(sample: "cargo-credentials.toml", as: .cargo)
    expect(found.logins, is: ["https://github.com/rust-lang/crates.io-index for cargo cio-Pw-1"])
    expect(found.reasons, is: ["5 noPlace", "8 noPlace"])
  }

  @Test("the same in every way that TOML has to write it")
  func waysToWrite() throws {
    for text in [
      "[registry]\ntoken = \"t\"\n", "registry.token = 't'", "\"registry\" . 'token' = \"\\u0074\" # c\n",
      "registry = { token = \"t\" }\n",
      "registry = { other = [1, { token = \"u\" }, \"]\"], token = 't', }\n",
      "[[x]]\ntoken = \"u\"\n[ registry ]\r\ntoken=\"t\"\r\n",
      "a = '''\n[registry]\ntoken = \"u\"\n'''''\nb = \"\"\"\\\"\"\"\"\"\nc = 1979-05-27\nregistry.token = \"t\"\n",
      "registries.crates-io.token = \"t\"", "token = \"t\"",
    ] {
      try expect(
        Found(text, as: .cargo).logins, is: ["https://github.com/rust-lang/crates.io-index for cargo t"],
        "\(text)")
    }
  }

  @Test("what can't be understood is named by its line, and spoils no other")
  func malformed() throws {
    for line in [
      "token = \"t", "token = t\"", "token", "= \"t\"", "token = \"\\q\"", "token = \"\\ud800\"",
      "token = \"t\" x",
      "to ken = \"t\"", "token = { a = \"t\"", "token =", "[registry", "[registry]]", "a = [1",
    ] {
      let found = try Found("a = 1\n[registries.x]\n\(line)\n", as: .cargo)
      expect(found.logins.isEmpty, "\(line)")
      expect(found.reasons, is: ["3 malformed"], "\(line)")
    }
    try expect(
      Found("x = \"\n[registry\ntoken = \"u\"\n[registry]\ntoken = \"t\"\n", as: .cargo).logins,
      is: [
        "https://github.com/rust-lang/crates.io-index for cargo t"
      ])
    #expect(throws: FormatFault("it is not TOML that cargo writes", line: 1)) { try Found("x\n", as: .cargo) }
    let depth = String(repeating: "[", count: 100_000)
    #expect(throws: FormatFault("it is not TOML that cargo writes", line: 1)) {
      try Found("a = \(depth)", as: .cargo)
    }
  }

  @Test("a line that can't be read ends its table, and a byte order mark is none of a line's")
  func ends() throws {
    let found = try Found("[registry]\nx\ntoken = \"t\"\n[registries.a\ntoken = \"u\"\n", as: .cargo)
    expect(found.logins.isEmpty)
    expect(found.reasons, is: ["2 malformed", "4 malformed", "3 noPlace", "5 noPlace"])
    try expect(
      Found("\u{feff}[registries.mine]\ntoken = \"t\"\n", as: .cargo).reasons, is: ["2 noPlace"])
  }

  @Test("an empty token is none, nor a key, nor a number")
  func otherValues() throws {
    try expect(
      Found(
        "[registry]\ntoken = ''\n[registries.a]\nsecret-key = \"k3.secret.x\"\n[registries.b]\ntoken = 1\n",
        as: .cargo
      ).reasons, is: ["2 noSecret", "4 noLogin", "6 malformed"])
  }

  @Test("two tokens of one registry are none")
  func twice() throws {
    try expect(
      Found("[registry]\ntoken = 't'\n[registries.crates-io]\ntoken = 'u'\n", as: .cargo).reasons,
      is: [
        "2 disputed", "4 disputed",
      ])
  }

  @Test("the line of a token goes but for its comment, in a table on one line only its value")
  func remainder() throws {
    try expect(
      InterchangeTests.remainder(
        of: "[registry] # mine\n  token = \"t\" # old\n[registries]\ncrates-io = { token = 't' }\n",
        as: .cargo), is: "[registry] # mine\n  # old\n[registries]\ncrates-io = { token = \"\" }\n")
  }
}
