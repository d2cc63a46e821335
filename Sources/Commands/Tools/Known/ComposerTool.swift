extension KnownTool {
  /// Composer, which takes logins from a variable.
  static let composer = KnownTool(
    name: "composer", imports: ["composer"], page: "llavero-run(1)",
    recipes: [
      ToolRecipe(
        name: "composer",
        text: #"""
          COMPOSER

              llavero add https://composer.example --account alice
              llavero run --env 'COMPOSER_AUTH={"http-basic": {"composer.example": {
                "username": "alice",
                "password": "${llavero+https://alice@composer.example}"}}}' -- \
                composer install

          Composer logs in to the repository as alice. In Composer 2.5 an auth.json beside
          composer.json comes first. A password with a quote or a backslash can't be
          written so.

          """#)
    ])
}
