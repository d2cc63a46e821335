extension KnownTool {
  /// Programs that read a netrc file, which exists only while they run.
  static let netrc = KnownTool(
    name: "netrc", speaks: "netrc", page: "llavero-run(1)",
    recipes: [
      ToolRecipe(
        name: "curl",
        text: #"""
          CURL

              llavero add https://files.example --account alice
              llavero run --netrc-file -- sh -c \
                'curl --netrc-file "$NETRC" https://files.example/private'

          curl prints the file. Every program that reads a netrc file can log in like
          this; go, pip and others find it by the variable NETRC.

          """#)
    ])
}
