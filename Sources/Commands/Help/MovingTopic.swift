extension HelpTopic {
  static let moving = HelpTopic(
    name: "moving", summary: "Moving in from other programs, and out again",
    text: """
      WHAT IS FOUND ALREADY

      llavero finds what git-credential-libsecret, docker's helper, Python's keyring
      and others have stored in the desktop's keyring:

          llavero list --keychain secret-service

      WHAT YOU HAVE TO IMPORT

      'llavero import' reads plain-text files and other programs' keychains; its help
      lists them. First see what would come. Then import it, and have the plain text
      removed once everything has been read back:

          llavero help import
          llavero import git-credentials --dry-run
          llavero import git-credentials --remove-source

      From one of llavero's keychains to the other:

          llavero migrate --from file --to secret-service --dry-run
          llavero migrate --from file --to secret-service
          llavero keychain use secret-service

      LETTING TOOLS LOG IN FROM HERE

      See what each tool uses now, and change one line of its configuration:

          llavero setup
          llavero setup docker

      AND OUT AGAIN

      To another machine, you copy the file and its key: see 'llavero help backup'.
      The standard tool age opens the file. llavero also writes other formats:

          llavero export --format csv --output logins.csv
          llavero setup docker --remove

      """)
}
