import Expectations
import Keychain
import TestSupport
import Testing
import ToolCommands

@testable import Commands

@Suite("formats of the list") struct OutputFormatTests {
  private var item: Item {
    var item = Item.internet("example.com", account: "alice", path: "acme", port: 8443, domain: "docker")
    item.label = "wörk\n"
    item.isDefault = true
    return item
  }

  private func line(_ format: String, _ item: Item) throws -> String {
    String(decoding: try OutputFormat(format).bytes(of: item), as: UTF8.self)
  }

  @Test("names stand for attributes, and what is absent for nothing")
  func names() throws {
    try expect(
      line("{class} {server}\\t{port}|{path}|{domain}|{account}|{comment}|", item),
      is: "internet example.com\t8443|acme|docker|alice||\n")
    try expect(line("{service} {server}{account}.", .generic("aws:default")), is: "aws:default .\n")
    try expect(line("{default}/{default}", item), is: "default/default\n")
    for name in OutputFormat.names { _ = try OutputFormat("{\(name)}") }
  }

  @Test("an attribute ends no line and drives no terminal")
  func invisible() throws {
    try expect(line("{label}", item), is: "wörk\\u{a}\n")
  }

  @Test("a format that ends a line gets no other end")
  func ends() throws {
    try expect(line("{account}\\0", item), is: "alice\0")
    try expect(line("{account}\\n", item), is: "alice\n")
    try expect(line("a\\nb", item), is: "a\nb\n")
    try expect(line("", item), is: "\n")
    try expect(line("\\{\\}\\\\", item), is: "{}\\\n")
  }

  @Test(
    "what can't be understood is refused",
    arguments: ["{nothing}", "{server", "}", "\\x", "\\", "{}", "{Server}"])
  func refuses(format: String) {
    #expect(throws: KeychainError.self) { try OutputFormat(format) }
  }
}
