extension HelpTopic {
  static let moving = HelpTopic(
    name: "moving", summary: "Moving in from other programs, and out again",
    text: """
      WHAT IS FOUND ALREADY

      In the desktop's keyring, what git-credential-libsecret, docker's helper,
      Python's keyring and others have stored is found where it lies:

          llavero list --keychain secret-service

      WHAT HAS TO BE BROUGHT

      Plain-text files and other programs' keychains are read by 'llavero import',
      whose help lists what it knows. First see what would come, then bring it, and
      have the plain text removed once all of it has been read back:

          llavero help import
          llavero import git-credentials --dry-run
          llavero import git-credentials --remove-source

      From one keychain of llavero to the other:

          llavero migrate --from file --to secret-service --dry-run
          llavero keychain use secret-service

      LETTING TOOLS LOG IN FROM HERE

      What each tool uses now, and changing that by one line of its configuration:

          llavero setup
          llavero setup docker

      AND OUT AGAIN

      The file is opened by the standard tool age; llavero writes other forms, too:

          llavero export --format csv --output logins.csv
          llavero setup docker --remove

      """)
}
