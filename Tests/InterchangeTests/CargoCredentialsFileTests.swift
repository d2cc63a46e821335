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

  @Test("deep nesting is refused")
  func deep() {
    let depth = String(repeating: "[", count: 100_000)
    #expect(throws: FormatFault("it is not TOML that cargo writes", line: 1)) {
      try Found("a = \(depth)", as: .cargo)
    }
  }
}
