import ArgumentParser
import ToolCommands

/// The text of `llavero --help`: all commands on one screen, in groups of what people want. `llavero help commands` has a
/// line for each.
enum Overview {
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
    let lines = groups.map { group in
      group.name.padded(to: 17) + group.commands.map { $0._commandName }.joined(separator: " ") + "\n"
    }
    return ShortHelp.beginning + lines.joined() + """

      'llavero help COMMAND' explains a command; 'llavero help commands' lists all of
      them. 'llavero help TOPIC' says how things are done, for the topics
      \(HelpTopic.all.map(\.name).joined(separator: ", ")),
      and for each tool, such as docker or npm. Exit status: 0 done, 1 nothing
      matched, 2 the keychain could not be used, 64 wrong usage. See llavero(1).

      """
  }
}
