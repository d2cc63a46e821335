import Keychain
import Terminals
import TestSupport
import Testing

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
    #expect(
      try line("{class} {server}\\t{port}|{path}|{domain}|{account}|{comment}|", item)
        == "internet example.com\t8443|acme|docker|alice||\n")
    #expect(try line("{service} {server}{account}.", .generic("aws:default")) == "aws:default .\n")
    #expect(try line("{default}/{default}", item) == "default/default\n")
    for name in OutputFormat.names { _ = try OutputFormat("{\(name)}") }
  }

  @Test("an attribute ends no line and drives no terminal")
  func invisible() throws {
    #expect(try line("{label}", item) == "wörk\\u{a}\n")
  }

  @Test("a format that ends a line gets no other end")
  func ends() throws {
    #expect(try line("{account}\\0", item) == "alice\0")
    #expect(try line("{account}\\n", item) == "alice\n")
    #expect(try line("a\\nb", item) == "a\nb\n")
    #expect(try line("", item) == "\n")
    #expect(try line("\\{\\}\\\\", item) == "{}\\\n")
  }

  @Test(
    "what can't be understood is refused",
    arguments: ["{nothing}", "{server", "}", "\\x", "\\", "{}", "{Server}"])
  func refuses(format: String) {
    #expect(throws: Failure.self) { try OutputFormat(format) }
  }
}
