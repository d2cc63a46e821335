import Bytes
import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@testable import Forwarding

@Suite("the rule file") struct RuleStoreTests {
  private let folder = TemporaryFolder()
  private var path: String { folder["config/llavero/forward.rules"] }
  private var store: RuleStore { RuleStore(at: path) }

  private func write(_ text: String) throws {
    for name in ["config", "config/llavero"] { mkdir(folder[name], 0o700) }
    try put(Array(text.utf8), into: path)
  }

  private func contents() throws -> String { try String(decoding: store.read().text, as: UTF8.self) }

  @Test("without a file there are no rules, and reading makes none")
  func missing() throws {
    try expect(store.read().rules, is: [])
    expect(access(path, F_OK) != 0)
  }

  @Test("a rule makes the file, which nobody else can read")
  func made() throws {
    let new = try ForwardingRule(line: "allow far https://a.example")
    _ = try store.change { $0.set(new, at: .now) }
    try expect(store.read().rules, is: [new])
    var status = stat()
    expect(stat(path, &status), is: 0)
    expect(status.st_mode & 0o777, is: 0o600)
  }

  @Test("comments and other rules stay")
  func kept() throws {
    try write("# mine\n\nallow far https://a.example\n")
    let new = try ForwardingRule(line: "deny far https://b.example")
    _ = try store.change { $0.set(new, at: .now) }
    try expect(contents(), is: "# mine\n\nallow far https://a.example\ndeny far https://b.example\n")
  }

  @Test("a decision about the same replaces the former one")
  func replaced() throws {
    try write("allow far https://a.example write\nallow far https://a.example tool=git\n")
    let new = try ForwardingRule(line: "deny far https://a.example")
    _ = try store.change { $0.set(new, at: .now) }
    try expect(contents(), is: "allow far https://a.example tool=git\ndeny far https://a.example\n")
  }

  @Test("a file that can't be understood is never replaced")
  func malformed() throws {
    let text = "allow far https://a.example\nallow far https://b.example wrte\n"
    try write(text)
    let new = try ForwardingRule(line: "allow far https://c.example")
    #expect(throws: RuleStore.Fault.malformed(RuleFile.Malformed(line: 2, fault: .word("wrte")))) {
      _ = try store.change { $0.set(new, at: .now) }
    }
    try expect(String(decoding: TestSupport.contents(of: path), as: UTF8.self), is: text)
  }

  @Test("a file that others could write is not read", arguments: [mode_t(0o620), 0o602])
  func writableByOthers(mode: mode_t) throws {
    try write("allow far *\n")
    chmod(path, mode)
    #expect(throws: RuleStore.Fault.self) { try store.read() }
  }

  @Test("a file that others can read is read, and kept as a file of one's own")
  func readableByOthers() throws {
    try write("allow far *\n")
    chmod(path, 0o644)
    try expect(store.read().rules.count, is: 1)
  }

  @Test("a link is followed, but never replaced")
  func link() throws {
    try write("allow far *\n")
    expect(rename(path, folder["rules"]), is: 0)
    expect(symlink(folder["rules"], path), is: 0)
    try expect(store.read().rules.count, is: 1)
    let new = try ForwardingRule(line: "deny far *")
    #expect(throws: RuleStore.Fault.file(.unsafeFile(path: path, .symbolicLink))) {
      _ = try store.change { $0.set(new, at: .now) }
    }
    try expect(store.read().rules.count, is: 1)
  }

  @Test("too large a file is not made")
  func tooLarge() throws {
    try write(String(repeating: "# x\n", count: RuleFile.maximumSize / 4))
    let new = try ForwardingRule(line: "allow far https://c.example")
    #expect(throws: RuleStore.Fault.tooLarge(limit: RuleFile.maximumSize)) {
      _ = try store.change { $0.set(new, at: .now) }
    }
    try expect(store.read().rules, is: [])
  }

  @Test("many that add rules at once lose none")
  func atOnce() async throws {
    let path = path
    mkdir(folder["config"], 0o700)
    mkdir(folder["config/llavero"], 0o700)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          for place in 0..<10 {
            let rule = try ForwardingRule(line: "allow far https://\(number).example/\(place)")
            _ = try RuleStore(at: path).change { $0.set(rule, at: .now) }
          }
        }
      }
      try await group.waitForAll()
    }
    try expect(Set(store.read().rules.map { "\($0.place)" }).count, is: 80)
  }
}
