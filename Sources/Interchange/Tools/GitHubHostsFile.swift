import Bytes

extension FileFormat {
  /// The file of GitHub's command line, which stores tokens there if it found no keyring (cli.github.com, "gh auth
  /// login", `--insecure-storage`): each host with the token of the active account and, since version 2.40, those of
  /// all accounts. The first versions had a list of accounts.
  public static let gitHub = FileFormat(
    "gh", "the tokens of GitHub's command line 'gh'",
    usualPaths: [
      "$GH_CONFIG_DIR/hosts.yml", "$XDG_CONFIG_HOME/gh/hosts.yml", "~/.config/gh/hosts.yml",
    ],
    holdsLoginsAlone: false,
    looksLike: { $0.hasLine(beginningWith: "oauth_token:") }
  ) { text throws(FormatFault) in
    // gh's answer to git has this name if it doesn't know the account.
    try TokensOfHosts(of: [], called: "oauth_token", otherwise: "x-access-token").read(text, of: "gh")
  }

  /// The file of GitLab's command line (docs.gitlab.com, "GitLab CLI"): below `hosts`, each host with its token.
  public static let gitLab = FileFormat(
    "glab", "the tokens of GitLab's command line 'glab'",
    usualPaths: [
      "$GLAB_CONFIG_DIR/config.yml", "$XDG_CONFIG_HOME/glab-cli/config.yml", "~/.config/glab-cli/config.yml",
    ],
    holdsLoginsAlone: false,
    looksLike: { shape in
      shape.hasLine(beginningWith: "hosts:") && shape.hasLine(beginningWith: "token:")
    }
  ) { text throws(FormatFault) in
    // GitLab accepts that name with any token.
    try TokensOfHosts(of: ["hosts"], called: "token", otherwise: "oauth2").read(text, of: "glab")
  }
}
