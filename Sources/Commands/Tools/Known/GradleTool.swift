extension KnownTool {
  /// Gradle, which takes a password from a variable.
  static let gradle = KnownTool(
    name: "gradle", imports: ["gradle"], page: "llavero-run(1)",
    recipes: [
      ToolRecipe(
        name: "gradle",
        text: #"""
          GRADLE

              llavero add https://maven.example --account alice

          In build.gradle:

              repositories {
                maven {
                  url 'https://maven.example'
                  credentials {
                    username 'alice'
                    password findProperty('corp')
                  }
                }
              }

          Run Gradle with that property as a variable:

              llavero run \
                --env ORG_GRADLE_PROJECT_corp=llavero+https://alice@maven.example -- \
                gradle --no-daemon build

          Gradle logs in to the repository as alice. A daemon would keep the password in
          its memory.

          """#)
    ])
}
