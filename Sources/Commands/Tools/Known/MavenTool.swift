extension KnownTool {
  /// Maven, whose settings take a password from a variable.
  static let maven = KnownTool(
    name: "maven", imports: ["maven"], page: "llavero-run(1)",
    recipes: [
      ToolRecipe(
        name: "maven",
        text: #"""
          MAVEN

              llavero add https://maven.example --account alice

          In ~/.m2/settings.xml, for the repository with the id corp in your pom.xml:

              <settings>
                <servers>
                  <server>
                    <id>corp</id>
                    <username>alice</username>
                    <password>${env.CORP_PASSWORD}</password>
                  </server>
                </servers>
              </settings>

          Anybody may read that. Run Maven with the variable:

              llavero run --env CORP_PASSWORD=llavero+https://alice@maven.example -- \
                mvn -B verify

          Maven logs in to the repository as alice. Without the variable the repository
          refuses it.

          """#)
    ])
}
