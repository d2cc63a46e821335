import ToolCommands

/// The text of `llavero` alone: the few commands that most people need.
enum ShortHelp {
  static let text = beginning + "'llavero --help' shows all commands.\n"

  static let beginning = """
    llavero keeps passwords and tokens, and logs in git and other tools with them.

      llavero setup git                                let git log in with llavero
      llavero add https://HOST --account NAME          store a login
      llavero get HOST                                 print it
      llavero list                                     list your logins
      llavero setup                                    show which tools can use it
      llavero doctor                                   check that all is well


    """
}
