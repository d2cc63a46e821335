extension KnownTool {
  static let summon = KnownTool(
    name: "summon", speaks: "summon", page: "llavero-vault-client(1)",
    recipes: [
      ToolRecipe(
        name: "summon",
        text: #"""
          SUMMON

              llavero add --service db --account app
              export SUMMON_PROVIDER="$(command -v llavero-summon)"

          In secrets.yml:

              DB_PASSWORD: !var db/app

          The program that summon starts has the secret in that variable:

              summon ./server

          """#)
    ])
}
