extension HelpTopic {
  static let git = HelpTopic(
    name: "git", summary: "Setting up git, and several accounts on one host",
    text: """
      LOGGING IN GIT

      Once, for all repositories:

          llavero setup git

      It names each helper that git no longer asks, or asks before llavero. At the
      next fetch or push over https, git asks for user name and token. To store a
      login beforehand, and to see what is stored:

          llavero add https://github.com --account alice
          llavero list
          llavero get https://github.com --account alice

      SEVERAL ACCOUNTS

      Store each of them, choose the one that answers everywhere else, and tell git
      where to use the other. By the owner's name in the URL, for all repositories
      below it:

          llavero add https://github.com --account alice2
          llavero default https://github.com --account alice
          git config --global credential.https://github.com/acme.username alice2

      Or for one repository only, in that repository:

          git config credential.username alice2

      WHEN A LOGIN IS REFUSED

      If a server refuses a password, git has llavero forget it, and fails; the next
      fetch asks. To replace a token, or to bring one back into the encrypted file:

          llavero update https://github.com --account alice --secret
          llavero undelete https://github.com --account alice

      'llavero doctor' says what else is wrong, 'llavero explain URL' what git gets.

      """)
}
