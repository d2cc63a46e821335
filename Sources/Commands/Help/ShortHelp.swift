import Terminals

/// What `llavero` alone prints: the few commands that most people need.
enum ShortHelp {
  static let text = """
    llavero keeps passwords and tokens, and logs in git and other tools with them.

      git config --global credential.helper llavero    let git log in from here
      llavero add https://HOST --account NAME          keep a login; asks for the secret
      llavero get https://HOST                         print it
      llavero list                                     list your logins, without their secrets
      llavero setup                                    show which other tools can log in from here
      llavero doctor                                   check that all is well, or say what to do

    'llavero --help' lists all commands.

    """
}
