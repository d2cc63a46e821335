import ArgumentParser
import Expectations
import Testing

@testable import Commands

@Suite("help topics") struct HelpTopicTests {
  @Test("a topic fits a terminal of 24 by 80, read twice", arguments: HelpTopic.all.map(\.name))
  func size(name: String) throws {
    let topic = try #require(HelpTopic.all.first { $0.name == name })
    let lines = topic.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    expect(lines.count <= 40)
    for line in lines { expect(line.count <= 80, "\(line)") }
    expect(lines.last?.isEmpty, is: false)
    expect(topic.summary.count <= 54)
  }

  @Test("every command in it can be pasted", arguments: HelpTopic.all.map(\.name))
  func commands(name: String) throws {
    let topic = try #require(HelpTopic.all.first { $0.name == name })
    let commands = topic.text.split(separator: "\n").filter { $0.hasPrefix("    llavero ") }
    expect(commands.count >= 3)
    for command in commands {
      let words = ShellWord.words(of: command.drop { $0 == " " } + "").map(\.text)
      #expect(throws: Never.self, "\(command)") {
        let parsed = try LlaveroCommand.parseAsRoot(Array(words.dropFirst()))
        // A request for help itself, with the name of an existing command.
        if words.dropFirst().first == "help" {
          expect(LlaveroCommand.configuration.subcommands.contains { $0._commandName == words[2] })
        } else {
          expect(!(parsed is LlaveroCommand))
        }
      }
    }
  }

  @Test("no command has a topic's name")
  func names() {
    let commands = LlaveroCommand.configuration.subcommands.map { $0._commandName }
    expect(Set(commands).isDisjoint(with: HelpTopic.all.map(\.name)))
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
      ("mv", "update"), ("version", "--version"), ("lst", "list"),
    ])
  func synonyms(typed: String, meant: String) {
    expect(["get", "list", "add", "update", "delete", "--version"].meant(by: typed), is: meant)
  }

  @Test("what is far from all is taken for none of them", arguments: ["", "frobnicate", "x", "all", "a b"])
  func different(typed: String) {
    expect(["git", "backup", "moving", "list", "add"].closest(to: typed), is: nil)
  }
}
