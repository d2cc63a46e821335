import ArgumentParser
import Expectations
import Testing
import ToolCommands

@testable import Commands

@Suite("help on a narrow terminal") struct NarrowHelpTests {
  @Test("prose is joined where its width had broken it, and broken anew")
  func prose() {
    let text = """
      At the next fetch or push over https, git asks for user name and token. To store
      a login beforehand, and to see what is stored:

      SEVERAL ACCOUNTS

      A short line.
      And another one. What
      'podman login' stores comes first.

      """
    let narrow = """
      At the next fetch or push over https, git asks for
      user name and token. To store a login beforehand,
      and to see what is stored:

      SEVERAL ACCOUNTS

      A short line.
      And another one. What 'podman login' stores comes
      first.

      """
    expect(NarrowHelp.text(text, to: 50), is: narrow)
  }

  @Test("commands stay whole, and what is beside them goes below")
  func commands() {
    let text = """
      OVERVIEW: Add a way

        llavero add https://github.com --account alice --expires 2027-01-31
        llavero slot add recovery              (a code for a sheet of paper)

          git config --global credential.https://github.com/acme.username alice2

      OPTIONS:
        --token-file <file>     The file in which the job finds its token
        --token-variable <name> The variable in which it does
        --authentication-type <text>
                                How the server asks for it
      """
    let narrow = """
      OVERVIEW: Add a way

        llavero add https://github.com --account alice --expires 2027-01-31
        llavero slot add recovery
            (a code for a sheet of paper)

          git config --global credential.https://github.com/acme.username alice2

      OPTIONS:
        --token-file <file>     The file in which the job
                                finds its token
        --token-variable <name> The variable in which it
                                does
        --authentication-type <text>
                                How the server asks for it
      """
    expect(NarrowHelp.text(text, to: 52), is: narrow)
  }

  @Test("a usage that is too wide names its operands, and its options in one word")
  func shortUsage() {
    let short = "USAGE: llavero unlock [--for <time>] [--idle <time>] [--quiet]"
    expect(NarrowHelp.shortUsage(short), is: short)
    let options = "[--drop <id> ...] [--keychain <name>] [--collection <name>] [--no-prompt]"
    expect(NarrowHelp.shortUsage("USAGE: llavero rotate \(options)"), is: "USAGE: llavero rotate [<options>]")
    expect(
      NarrowHelp.shortUsage("USAGE: llavero code [<url>] \(options)"),
      is: "USAGE: llavero code [<options>] [<url>]")
    expect(
      NarrowHelp.shortUsage("USAGE: llavero slot add command -- [<program> ...] \(options)"),
      is: "USAGE: llavero slot add command [<options>] -- [<program> ...]")
  }

  @Test("no help is wider than the terminal, but for commands", arguments: [40, 60, 79])
  func widths(width: Int) {
    let texts =
      [Overview.text, ShortHelp.text] + HelpTopic.all.map(\.text)
      + LlaveroCommand.configuration.subcommands.map { $0.helpMessage(columns: 100_000) }
    for line in texts.flatMap({ NarrowHelp.text($0, to: width).split(separator: "\n") }) {
      let isPasted =
        line.hasPrefix("    ") || line.hasPrefix("  ") && line.drop { $0 == " " }.first?.isLowercase == true
      let isOneWord = !line.drop { $0 == " " }.contains(" ")
      if !isPasted, !isOneWord { expect(displayWidth(String(line)) <= width, "\(line)") }
    }
  }
}
