import Expectations
import Keychain
import Testing

@testable import CredentialProtocols

@Suite("A tool's command line")
struct ToolArgumentsTests {
  private func parse(_ arguments: String...) throws(KeychainError) -> ToolArguments {
    try ToolArguments(
      arguments.map { ByteString($0) }, of: "x", [.value("--mode"), .flag("--all"), .flag("-v")]
    ) { (name, value) throws(KeychainError) in
      name == "--keychain" ? try value() == "file" : false
    }
  }

  @Test("options stand anywhere, with their values after them or after an equals sign")
  func anywhere() throws {
    let parsed = try parse(
      "get", "--mode", "a", "x=y", "--all", "--keychain=file", "--mode=b=c", "-v", "-", "")
    expect(parsed.operands, is: ["get", "x=y", "-", ""])
    expect(parsed.values(of: "--mode"), is: ["a", "b=c"])
    expect(parsed.values(of: "--all"), is: [""])
    expect(parsed.values(of: "--keychain"), is: [])
  }

  @Test("after two dashes there are operands alone")
  func dashes() throws {
    try expect(parse("--all", "--", "--mode", "--").operands, is: ["--mode", "--"])
  }

  @Test("an unknown option and one without its value are refused")
  func refused() {
    let unknown = KeychainError.misused("unknown option --mod", hint: "see 'x --help'")
    #expect(throws: unknown) { try parse("--mod", "a") }
    #expect(throws: KeychainError.misused("--mode needs a value")) { try parse("get", "--mode") }
    #expect(throws: KeychainError.misused("--keychain needs a value")) { try parse("--keychain") }
  }
}
