import ArgumentParser
import ToolCommands

/// The text of `llavero --help`: all commands on one screen, in groups of what people want. `llavero help commands` has a
/// line for each.
enum Overview {
  /// Every command, in the order in which the help and the completions have them.
  static let groups: [(name: String, commands: [any ParsableCommand.Type])] = [
    (
      "Logins",
      [
        AddCommand.self, GetCommand.self, ListCommand.self, UpdateCommand.self, EditCommand.self,
        DeleteCommand.self, UndeleteCommand.self, GenerateCommand.self, CodeCommand.self,
      ]
    ),
    (
      "Tools",
      [
        SetupCommand.self, RunSubcommand.self, InjectSubcommand.self, ExplainCommand.self,
        DefaultCommand.self,
        LoginCommand.self, LogoutCommand.self,
      ]
    ),
    ("Moving", [ImportCommand.self, ExportCommand.self, MigrateCommand.self]),
    (
      "Keychains",
      [
        StatusCommand.self, DoctorCommand.self, KeychainCommand.self, UnlockCommand.self, LockCommand.self,
        SyncCommand.self, ServeCommand.self, ForwardCommand.self,
      ]
    ),
    (
      "Encrypted file",
      [
        InitCommand.self, ChangePassphraseCommand.self, SlotCommand.self, RotateCommand.self,
        VaultCommand.self,
      ]
    ),
    ("For scripts", [LinkCommand.self, GitCredentialSubcommand.self, SecuritySubcommand.self]),
  ]

  static var text: String {
    let rows = groups.map { row($0.name, $0.commands.map { $0._commandName }) }
    return ShortHelp.beginning + rows.joined() + row("Topics", HelpTopic.all.map(\.name)) + """

      'llavero help NAME' explains a command, a topic or a tool such as docker or npm;
      'llavero help commands' lists all. Exit status: 0 done, 1 nothing matched, 2
      something that was needed could not be used, 64 wrong usage. See llavero(1).

      """
  }

  /// A line of names, or several of about the same length where one would be wider than a terminal of 80 columns.
  private static func row(_ name: String, _ names: [String]) -> String {
    var width = 80
    var lines = lines(name, names, width)
    let count = lines.count
    while count > 1 {
      width -= 1
      let narrower = self.lines(name, names, width)
      if narrower.count > count { break }
      lines = narrower
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func lines(_ name: String, _ names: [String], _ width: Int) -> [String] {
    var lines = [name.padded(to: 16)]
    for name in names {
      if lines[lines.count - 1].count + 1 + name.count > width { lines.append("".padded(to: 16)) }
      lines[lines.count - 1] += " " + name
    }
    return lines
  }
}
