extension HelpTopic {
  static let git = HelpTopic(
    name: "git", summary: "Setting up git, and several accounts on one host",
    text: """
      LOGGING IN GIT

      Once, for all repositories:

          llavero setup git

      It writes one line, which you can write yourself as well:

          git config --global credential.helper llavero

      At the next fetch or push over https git asks for user name and token, for the
      last time. To keep a login beforehand, and to see what is kept:

          llavero add https://github.com --account alice
          llavero list
          llavero get https://github.com --account alice

      SEVERAL ACCOUNTS

      Keep each of them, and tell git which is whose. By the owner's name in the URL,
      for all repositories below it:

          llavero add https://github.com --account alice2
          git config --global credential.https://github.com/acme.username alice2

      Or for one repository alone, in that repository:

          git config credential.username alice2

      WHEN A LOGIN IS REFUSED

      Git has a refused password forgotten, that very one, and asks again. A new token
      is put in the old one's place, and a login that was lost comes back, by:

          llavero update https://github.com --account alice --secret
          llavero undelete https://github.com --account alice

      What else may be wrong is said by 'llavero doctor'.

      """)
}
