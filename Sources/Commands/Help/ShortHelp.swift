import ToolCommands

/// The text of `llavero` alone: the few commands that most people need.
enum ShortHelp {
  static let text = """
    llavero keeps passwords and tokens, and logs in git and other tools with them.

      llavero setup git                                let git log in with llavero
      llavero add https://HOST --account NAME          store a login
      llavero get https://HOST                         print it
      llavero list                                     list your logins
      llavero setup                                    show which tools can use it
      llavero doctor                                   check that all is well

    'llavero --help' lists all commands.

    """
}
