import Bytes
import EncryptedFile
import Expectations
import Forwarding
import Keychain
import KeychainTesting
import Testing
import ToolCommands

@testable import Commands

@Suite("Output on a narrow terminal", .timeLimit(.minutes(60)))
struct NarrowOutputTests {
  /// The lines that are longer than the terminal, and could be broken at a space outside a command to paste.
  private func tooLong(_ text: TextForTerminal, _ width: Int) -> [Substring] {
    text.shown.split(separator: "\n").filter { line in
      line.count > width && line.split(separator: " ").count > 1 && !line.hasPrefix("  then: ")
    }
  }

  @Test("explain breaks reasons and notes")
  func explanation() throws {
    let keychain = InMemoryKeychain()
    let query = try InternetPasswordQuery(protocol: "https", server: "git.example")
    for account: ByteString in ["alice", "bob"] {
      let key = InternetPassword(protocol: "https", server: "git.example", account: account)
      try keychain.add(Item(.internetPassword(key)), Credential(password: "s3cret"))
    }
    let output = ExplanationOutput(
      asker: "git",
      notes: ["git asks for the account alice, as its credential.username says for this URL"],
      explanations: [try keychain.explain(.internetPassword(query))])
    expect(tooLong(output.text(wrappedTo: 60), 60), is: [])
    expect(tooLong(output.text(wrappedTo: nil), 60).count, is: 3)
  }

  @Test("explain breaks the account off a place that is long, and never the place")
  func longPlace() throws {
    let keychain = InMemoryKeychain()
    let path: ByteString = "acme/tools/a-long-name-of-a-repository-of-a-company"
    let place = "https://git.example/\(path)"
    let key = InternetPassword(protocol: "https", server: "git.example", account: "alice", path: path)
    try keychain.add(Item(.internetPassword(key)), Credential(password: "s3cret"))
    let query = try InternetPasswordQuery(protocol: "https", server: "git.example")
    let output = ExplanationOutput(
      asker: "git", notes: [], explanations: [try keychain.explain(.internetPassword(query))])
    let text = output.text(wrappedTo: 70)
    expect(tooLong(text, 70), is: ["  answers  \(place)"])
    expect(text.shown.hasPart("  answers  \(place)\n           (alice)\n"))
  }

  @Test("an empty keychain is explained in short lines")
  func nothing() throws {
    let query = try InternetPasswordQuery(protocol: "https", server: "git.example")
    let output = ExplanationOutput(
      asker: "git", notes: [], explanations: [try InMemoryKeychain().explain(.internetPassword(query))])
    expect(
      output.text(wrappedTo: 40).shown,
      is: "git asks for https://git.example, any\naccount\n"
        + "  nothing, because the keychain has no\n  item of that server\n")
    expect(
      output.text(wrappedTo: nil).shown,
      is: "git asks for https://git.example, any account\n"
        + "  nothing, because the keychain has no item of that server\n")
  }

  @Test("undelete --list leaves out the seconds, or has the moment below, and nothing is missing")
  func retired() {
    func listing(_ account: ByteString) -> RetiredListing {
      let item = Item(
        .internetPassword(InternetPassword(protocol: "https", server: "git.example", account: account)))
      let retired = Retired(
        item: item, retired: Timestamp(seconds: 1_800_000_000), reason: .deleted, bringBack: { _ in item })
      return RetiredListing(items: [retired], isNumbered: false, hasKeychains: false)
    }
    let short = listing("alice.acme").table(inUTC: true, fittedTo: 60)
    expect(tooLong(short, 60), is: [])
    expect(short.shown.hasSuffix("  deleted  2027-01-15 08:00Z\n"))
    let long = listing("alice@acme.example").table(inUTC: true, fittedTo: 60)
    expect(tooLong(long, 60), is: [])
    expect(long.shown.hasSuffix("  deleted\n      2027-01-15 08:00:00Z\n"))
  }

  @Test("doctor breaks what to do, and keeps a command whole")
  func next() {
    let prose = "mend the file with an editor or take it out of there"
    let command = "git config --global --unset-all credential.helper 'cache --timeout=300'"
    let text = IntegrationReport.columns([["  next", prose], ["  next", command]], wrappedTo: 50)
    expect(tooLong(text, 50), is: ["  next  \(command)"])
  }

  @Test("login --list breaks sentences, and keeps commands whole")
  func services() {
    let text = KnownServicesOutput.text(wrappedTo: 60)
    expect(tooLong(text, 60), is: [])
    expect(
      text.shown.hasPart(
        "  then: git config --global credential.https://github.com.oauthClientId ID\n"))
  }

  @Test("forward log breaks what was asked below itself, or below the date and the host")
  func log() throws {
    let line = """
      {"date":"2026-11-24T08:30:12.000Z","hosts":["socket:box"],"tool":"git","action":"get",\
      "place":"https://git.example","account":"alice","outcome":"answered"}
      """
    func text(_ width: Int?) throws -> String? {
      Secret(line).withUnsafeBytes {
        LoggedRequest.Line.text(of: $0, inUTC: true, wrappedTo: width)?.shown
      }
    }
    let request = "git get https://git.example (alice): answered"
    let whole = try text(nil)
    expect(whole?.hasSuffix("  socket:box  \(request)\n") ?? false)
    let start = (whole?.prefix { $0 != "g" }).map(String.init) ?? ""
    let margin = String(repeating: " ", count: start.count)
    expect(
      try text(60),
      is: "\(start)git get\n\(margin)https://git.example\n\(margin)(alice): answered\n")
    expect(try text(52), is: "\(start.dropLast(2))\n      \(request)\n")
    expect(try text(200), is: whole)
  }
}
