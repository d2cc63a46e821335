import ArgumentParser
import CredentialProtocols
import Expectations
import Testing

@testable import Commands

@Suite("help topics") struct HelpTopicTests {
  @Test("a topic and a recipe fit a terminal of 24 by 80, read twice, and summaries the list of topics")
  func size() {
    let texts = HelpTopic.all.map(\.text) + KnownTool.all.flatMap { $0.recipes.map(\.text) }
    for lines in texts.map({ $0.split(separator: "\n", omittingEmptySubsequences: false).dropLast() }) {
      expect(lines.count <= 40, "\(lines)")
      for line in lines { expect(line.count <= 80, "\(line)") }
      expect(lines.last?.isEmpty, is: false, "\(lines)")
    }
    for topic in HelpTopic.all { expect(topic.summary.count <= 54, "\(topic.name)") }
  }

  @Test("every command in it can be pasted", arguments: HelpTopic.all.map(\.name))
  func commands(name: String) throws {
    let topic = try #require(HelpTopic.all.first { $0.name == name })
    let commands = Self.commands(of: topic)
    expect(commands.count >= 3)
    for command in commands {
      let words = ShellWord.words(of: command).map(\.text)
      switch words[1] {
      // What a program is run with isn't llavero's to read.
      case "run": expect(words.contains("--"), "\(command)")
      case "help":
        let isCommand = LlaveroCommand.configuration.subcommands.contains { $0._commandName == words[2] }
        expect(isCommand || ToolRecipe.named(words[2]) != nil, "\(command)")
      default:
        #expect(throws: Never.self, "\(command)") {
          let parsed = try LlaveroCommand.parseAsRoot(Array(words.dropFirst()))
          expect(!(parsed is LlaveroCommand))
        }
      }
    }
  }

  /// The calls of llavero in a topic's commands, without what the shell makes of their input, output and status.
  private static func commands(of topic: HelpTopic) -> [String] {
    let lines = topic.text.replacing(" \\\n", with: "").split(separator: "\n")
    return lines.filter { $0.hasPrefix("    ") }.flatMap { line in
      line.split(separator: "|").compactMap { part -> String? in
        let command = part.drop { $0 == " " }.split(separator: " ").joined(separator: " ")
        guard command.hasPrefix("llavero ") else { return nil }
        let redirection = command.firstRange(of: " <") ?? command.firstRange(of: " >")
        return String(command[..<(redirection?.lowerBound ?? command.endIndex)])
      }
    }
  }

  @Test("no command and no tool has a topic's name, but git, whose recipe the topic is")
  func names() {
    let commands = LlaveroCommand.configuration.subcommands.map { $0._commandName }
    let tools = KnownTool.all.map(\.name) + Tool.all.map(\.name) + HelpTopic.toolNames
    let topics = HelpTopic.all.map(\.name) + ["commands", "help"]
    expect(Set(topics).count, is: topics.count)
    expect(Set(commands + tools.filter { $0 != "git" }).isDisjoint(with: topics))
  }

  @Test(
    "what was meant is found",
    arguments: [("backpu", "backup"), ("gti", "git"), ("lst", "list"), ("movin", "moving")])
  func similar(typed: String, meant: String) {
    expect(["git", "backup", "moving", "list"].closest(to: typed), is: meant)
  }

  @Test(
    "so is what other programs call otherwise",
    arguments: [
      ("ls", "list"), ("rm", "delete"), ("remove", "delete"), ("show", "get"), ("new", "add"),
      ("mv", "update"), ("version", "--version"), ("lst", "list"), ("read", "get"), ("clear", "delete"),
      ("save", "add"), ("set", "add"), ("put", "add"),
    ])
  func synonyms(typed: String, meant: String) {
    expect(["get", "list", "add", "update", "delete", "--version"].meant(by: typed), is: meant)
  }

  @Test("so are topics and kinds of keychains", arguments: ["openbao", "bao", "hashicorp"])
  func server(typed: String) {
    expect(["vault", "git", "sharing"].meant(by: typed), is: "sharing")
  }

  @Test("HashiCorp's vault is the kind openbao", arguments: ["vault", "bao", "hashicorp"])
  func kind(typed: String) {
    expect(["file", "git", "openbao"].meant(by: typed), is: "openbao")
  }

  @Test("two letters that are no program's name for it mean nothing")
  func twoLetters() {
    expect(["git", "go", "get"].meant(by: "gt"), is: nil)
    expect(["git", "go", "github"].meant(by: "gh"), is: "github")
  }

  @Test("what is far from all is taken for none of them", arguments: ["", "frobnicate", "x", "all", "a b"])
  func different(typed: String) {
    expect(["git", "backup", "moving", "list", "add"].closest(to: typed), is: nil)
  }
}
