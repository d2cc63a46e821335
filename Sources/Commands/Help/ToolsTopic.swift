extension HelpTopic {
  static let tools = HelpTopic(
    name: "tools", summary: "Letting docker, npm and other tools log in",
    text: """
      WHICH TOOLS

      See what each tool on this machine uses now. Then let one log in with llavero:
      you see what changes in its configuration before it is written. What to type
      after that is in the help for the tool:

          llavero setup
          llavero setup docker
          llavero help docker

      Others, such as npm, maven and psql, you set up by hand:

          llavero help npm

      Any other program can have its secret in a variable, while it runs:

          llavero add --service db --account app
          llavero run --env DB_PASSWORD=llavero://db/app -- ./server

      WHICH LOGIN

      A tool gets what it has stored itself, else git's login for that place, where
      that is safe. Git gets no login of another tool. To add a login for one tool
      alone, and to see which one answers:

          llavero add https://registry.example --account ci --domain docker
          llavero explain https://registry.example --for docker

      WHILE THE KEYCHAIN IS LOCKED

      llavero asks you for the passphrase. Where it can't, the tool gets no login, and
      llavero says why; pip, uv and terraform don't show you that. Unlock the
      keychain, and see what else may be wrong:

          llavero unlock
          llavero doctor

      To give a tool its former configuration back:

          llavero setup docker --remove

      """)
}
