extension KnownTool {
  /// The programs of MySQL and MariaDB, which read a password from a file.
  static let mysql = KnownTool(
    name: "mysql", imports: ["mysql"], page: "llavero-inject(1)",
    recipes: [
      ToolRecipe(
        name: "mysql",
        text: #"""
          MYSQL

              llavero add mysql://db.example --account app

          In my.cnf.in:

              [client]
              user=app
              password="${llavero+mysql://app@db.example}"

          Anybody may read that. llavero fills it for the one run:

              llavero inject my.cnf.in -- sh -c \
                'mysql --defaults-extra-file="$INJECTED" -h db.example -e "select user()"'

          mysql prints app and the host. mysqldump and MariaDB's programs do the same.

          """#)
    ])
}
