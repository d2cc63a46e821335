import ArgumentParser
import CredentialProtocols
import Expectations
import Testing

@testable import Commands

@Suite("completions") struct CompletionsTests {
  private static func offered(_ words: String...) -> [CompletionCandidate] {
    Completions(for: ["llavero"] + words + [""]).candidates
  }

  @Test("the commands come in the order of the overview, then help, and last what only tools call")
  func order() {
    let commands = Overview.groups.flatMap { $0.commands.map { $0._commandName } }
    expect(commands.first, is: "add")
    expect(Self.offered().map(\.text), is: commands + ["help"] + Tool.all.map(\.name))
  }

  @Test("they are those that the manual page lists")
  func page() throws {
    let rows = try packageText("man/llavero.1").split(separator: "\n").filter { $0.hasPrefix(".It Cm ") }
    let listed = rows.map { String($0.split(separator: " ")[2]) }
    expect(listed.sorted(), is: Self.offered().map(\.text).sorted())
  }

  @Test(
    "what a word is for stands beside it in a terminal of 80 columns",
    arguments: [
      [], ["help"], ["vault"], ["slot"], ["slot", "add"], ["keychain"], ["keychain", "member"], ["forward"],
      ["serve"], ["import"], ["setup"],
    ])
  func width(words: [String]) {
    let offered = Completions(for: ["llavero"] + words + [""]).candidates
    expect(!offered.isEmpty)
    let width = offered.map(\.text.count).max() ?? 0
    for word in offered { expect(width + 2 + word.summary.count < 80, "\(word.text): \(word.summary)") }
  }

  @Test("setup has each name once that it takes, those of its own list first")
  func setup() {
    let names = Self.offered("setup").map(\.text)
    expect(Array(names.prefix(ToolSetup.all.count + 1)), is: ToolSetup.all.map(\.name) + ["secret-service"])
    expect(Set(names).count, is: names.count)
    for name in names { expect(ToolSetup.named(name) != nil, "\(name)") }
    for tool in KnownTool.all {
      guard let setup = tool.setup else { continue }
      let own = Set(tool.recipes.map(\.name) + setup.programs).subtracting(setup.byHand)
      expect(own.isSubset(of: names), "\(tool.name)")
      for name in setup.byHand { expect(!names.contains(name), "\(name)") }
    }
    expect(Set(["goauth", "keyring", "askpass"]).isSubset(of: names))
    // What is set up by hand.
    expect(!names.contains("npm"))
  }
}
