import ArgumentParser
import CredentialProtocols
import Expectations
import Testing

@testable import Commands

@Suite("help") struct HelpTests {
  /// A command and all below it, with what has to be typed for them.
  private static func commands(
    below command: any ParsableCommand.Type = LlaveroCommand.self, _ words: String = "llavero"
  ) -> [(words: String, help: CommandConfiguration)] {
    [(words, command.configuration)]
      + command.configuration.subcommands.flatMap { commands(below: $0, words + " " + $0._commandName) }
  }

  @Test("a terminal of 80 columns breaks no example")
  func width() {
    for (words, help) in Self.commands() {
      for line in help.discussion.split(separator: "\n") where line.hasPrefix("  ") {
        // ArgumentParser breaks a line that fills the terminal.
        expect(line.count < 80, "\(words): \(line)")
      }
    }
    let usages = Tool.all.map { $0.speaks.usage } + [InjectCommand.usage, RunCommand.usage]
    for text in usages + [Overview.text, ShortHelp.text] {
      for line in text.split(separator: "\n") { expect(line.count <= 80, "\(line)") }
    }
  }

  @Test("no command is in two groups of the overview, which fits a terminal of 24 lines")
  func overview() {
    let grouped = Overview.groups.flatMap { $0.commands.map { $0._commandName } }
    expect(Set(grouped).count, is: grouped.count)
    expect(Overview.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 24)
  }
}
