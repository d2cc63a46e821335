import ArgumentParser
import Expectations
import Testing

@testable import Commands

@Suite("recipes for the tools") struct ToolRecipeTests {
  private static let all = KnownTool.all.flatMap(\.recipes)

  @Test("every tool has one but git, which has a topic, and each name is one tool's")
  func complete() {
    for tool in KnownTool.all where tool.name != "git" { expect(!tool.recipes.isEmpty, "\(tool.name)") }
    expect(Set(Self.all.map(\.name)).count, is: Self.all.count)
    // A topic of that name would be shown in its place.
    expect(Set(Self.all.map(\.name)).isDisjoint(with: HelpTopic.all.map(\.name)))
    expect(ToolRecipe.named("python")?.name, is: "pip")
    expect(ToolRecipe.named("frobnicate") == nil)
  }

  @Test("it begins with its name, and llavero knows every command in it", arguments: all.map(\.name))
  func commands(name: String) throws {
    let recipe = try #require(ToolRecipe.named(name))
    expect(recipe.text.split(separator: "\n").first?.lowercased() == name || name == "tofu")
    let text = recipe.text.replacing(" \\\n", with: "")
    let commands = text.split(separator: "\n").filter { $0.hasPrefix("    llavero ") }
    expect(!commands.isEmpty)
    for command in commands {
      let words = ShellWord.words(of: command.drop { $0 == " " } + "").map(\.text)
      let isCommand = LlaveroCommand.configuration.subcommands.contains { $0._commandName == words[1] }
      expect(isCommand, "\(command)")
      // What a program is run with isn't llavero's to read.
      if ["run", "inject"].contains(words[1]) { continue }
      #expect(throws: Never.self, "\(command)") { try LlaveroCommand.parseAsRoot(Array(words.dropFirst())) }
    }
  }

  @Test("a suite follows it, or the table says that it wasn't run", arguments: all.map(\.name))
  func isFollowed(name: String) throws {
    let suites = try ["recipes", "mail"].map { try packageText("integration/suites/\($0)") }.joined()
    let isFollowed = suites.split(separator: "\n").contains { line in
      let words = line.split { " \"".contains($0) }
      return zip(words, words.dropFirst()).contains { $0 == "follow" && $1 == Substring(name) }
        || ["check", "check_long"].contains(words.first) && words.last == Substring(name)
    }
    let table = try packageText("docs/tools.md").split(separator: "\n").filter { $0.hasPrefix("| ") }
    let row = try #require(table.first { $0.contains("`\(name)`") }, "the table has `\(name)`")
    expect(isFollowed != row.contains("not run: "), "\(row)")
  }
}
