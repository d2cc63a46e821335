extension KnownTool {
  /// PostgreSQL's programs, which take a password from a variable.
  static let psql = KnownTool(
    name: "psql", imports: ["pgpass"], page: "llavero-run(1)",
    recipes: [
      ToolRecipe(
        name: "psql",
        text: #"""
          PSQL

              llavero add postgresql://db.example --account app
              llavero run --env PGPASSWORD=llavero+postgresql://app@db.example -- \
                psql -h db.example -U app -d postgres -c 'select current_user'

          psql prints app. pg_dump and every other program of PostgreSQL do the same.

          """#)
    ])
}
