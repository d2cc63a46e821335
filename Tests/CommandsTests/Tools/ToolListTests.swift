import ArgumentParser
import CredentialProtocols
import Expectations
import Testing

@testable import Commands

@Suite("lists of the tools") struct ToolListTests {
  /// A tool's own name and those of its programs, as they are written in prose.
  private static func names(_ tool: KnownTool) -> Set<String> {
    Set([tool.name] + (tool.setup?.programs ?? []))
  }

  /// What logs in through the protocol of a known tool, and isn't set up by `llavero setup`.
  private static let others: Set = ["sudo"]

  /// The part of a text behind one mark and before the next; both have to be there.
  private func part(of text: String, after start: String, before end: String) throws -> Substring {
    let begin = try #require(text.firstRange(of: start), "it has \(start)").upperBound
    let rest = text[begin...]
    return rest[..<(try #require(rest.firstRange(of: end), "it has \(end)").lowerBound)]
  }

  @Test("the README's has each tool, and no other")
  func readme() throws {
    let section = try part(
      of: try packageText("README.md"), after: "\n## Tools that log in from llavero\n", before: "\n## ")
    func words(_ list: Substring) -> Set<String> {
      Set(
        list.replacing("the AWS CLI and SDKs", with: "aws").replacing(" and ", with: ", ").lowercased()
          .split { $0 == "," || $0 == "\n" || $0 == " " }.map(String.init))
    }
    let speaking = words(try part(of: String(section), after: "\n", before: ", each in its own protocol"))
    let others = words(
      try part(of: String(section), after: "`llavero run` and the\nlike ", before: ", and every program"))
    for tool in KnownTool.all {
      // Every program can use this one's file, which is why it stands apart.
      if tool.name == "netrc" {
        expect(section.contains("netrc file"))
      } else {
        let list = tool.speaks == nil && tool.setup == nil ? others : speaking
        expect(!list.isDisjoint(with: Self.names(tool)), "\(tool.name) is missing")
      }
    }
    let known = KnownTool.all.reduce(into: Self.others) { $0.formUnion(Self.names($1)) }
    expect(speaking.union(others).subtracting(known).sorted(), is: [])
  }

  @Test("the README is a page of 150 lines at most")
  func readmeIsShort() throws {
    try expect(
      packageText("README.md").split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
  }

  @Test("llavero-setup(1)'s has each tool that can be set up with its page, and no other")
  func setupPage() throws {
    let page = try packageText("man/llavero-setup.1")
    let list = try part(of: page, after: "\n.Bl -column", before: "\n.El\n")
    let rows = list.split(separator: "\n").filter { $0.hasPrefix(".It ") }
    let tools = KnownTool.all.filter { $0.setup != nil }
    expect(rows.map { $0.split(separator: " ")[2] }, is: tools.map { Substring($0.name) })
    for (row, tool) in zip(rows, tools) {
      expect(row.hasPrefix(".It Cm \(tool.name) Ta Xr \(tool.page.dropLast(3)) 1"), "\(row)")
    }
    // The others are told from these.
    let rest = try part(of: page, after: list + "\n.El\n.Pp\n", before: "\n.Pp\n")
    let byHand = KnownTool.all.filter { $0.setup == nil }
    for tool in byHand {
      expect(rest.contains(tool.name))
      expect(rest.contains(".Xr \(tool.page.dropLast(3)) 1"))
    }
    expect(rest.split(separator: "\n").count { $0.hasPrefix(".Xr ") }, is: Set(byHand.map(\.page)).count)
  }

  @Test("that of 'llavero setup --help' has each tool that can be set up, and no other")
  func setupHelp() throws {
    let list = try part(of: SetupCommand.configuration.discussion, after: " The tools are ", before: ".")
    let tools = KnownTool.all.filter { $0.setup != nil }
    expect(list.split(separator: ", "), is: tools.map { Substring($0.name) })
  }

  @Test("llavero-credential(1)'s has each protocol with its links, and no other")
  func protocols() throws {
    let list = try part(
      of: try packageText("man/llavero-credential.1"), after: ".It Sy link Ta Sy tool Ta Sy page\n",
      before: ".El\n")
    let rows = list.split(separator: "\n").map { row in
      row.split(separator: " Ta ", omittingEmptySubsequences: false).dropLast().joined(separator: " ")
    }
    var expected: Set = [".It Nm git-credential-llavero Cm git-credential"]
    for tool in Tool.all {
      let links = tool.links + tool.standsInFor
      for link in links { expected.insert(".It Nm \(link) Cm \(tool.name)") }
      if links.isEmpty { expected.insert(".It Cm \(tool.name)") }
    }
    expect(rows.sorted(), is: expected.sorted())
  }

  @Test("llavero-explain(1)'s has each tool whose call can be made up, and no other")
  func explainPage() throws {
    let list = try part(
      of: try packageText("man/llavero-explain.1"), after: "\n.It Fl -for Ar tool\nWho asks:\n",
      before: "\nFor a tool")
    let words = list.replacing(".Pq the default", with: "").split { " ,.\n".contains($0) }.map(String.init)
    let named = words.filter { $0 != "Cm" && $0 != "or" }.sorted()
    let expected: [String] = ["git"] + RehearsedCall.tools
    expect(named, is: expected.sorted())
  }

  @Test("llavero-forward(1)'s has each tool that can ask from another machine, and no other")
  func forwardPage() throws {
    let list = try part(
      of: try packageText("man/llavero-forward.1"), after: "\n.Pq the tool is ", before: " ,\n")
    expect(
      list.replacing(" or ", with: ", ").split(separator: ", ").map(String.init).sorted(),
      is: (Tool.all.map(\.name) + ["git", "secret-service", "llavero"]).sorted())
  }

  @Test("that of the documentation's commands has each program that tools call, and no other")
  func commandsPage() throws {
    let table = try part(
      of: try packageText("docs/commands.md"), after: "\n| program | called after |\n|---|---|\n",
      before: "\n\n")
    let programs = table.split(separator: "\n").map { String($0.split(separator: "`")[1]) }
    // People type 'llavero netrc' themselves.
    let ofTools = Tool.all.filter { $0.name != "netrc" }.flatMap { tool in
      tool.links.isEmpty ? ["llavero \(tool.name)"] : tool.links
    }
    expect(programs.sorted(), is: (ofTools + ["git-credential-llavero", "llavero security"]).sorted())
  }
}
