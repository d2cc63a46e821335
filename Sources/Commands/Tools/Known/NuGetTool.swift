extension KnownTool {
  /// NuGet, which takes logins from variables.
  static let nuget = KnownTool(
    name: "nuget", imports: ["nuget"], page: "llavero-run(1)",
    recipes: [
      ToolRecipe(
        name: "nuget",
        text: #"""
          NUGET

              llavero add https://nuget.example --account alice

          For the source that nuget.config calls corp:

              corp='Username=alice;Password=${llavero+https://alice@nuget.example}'
              llavero run --env "NuGetPackageSourceCredentials_corp=$corp" -- \
                dotnet restore

          dotnet logs in to the source as alice.

          """#)
    ])
}
