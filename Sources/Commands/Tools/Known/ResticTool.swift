extension KnownTool {
  /// restic, which runs a program for its password.
  static let restic = KnownTool(
    name: "restic", page: "llavero-vault-client(1)",
    recipes: [
      ToolRecipe(
        name: "restic",
        text: #"""
          RESTIC

              llavero add --service restic:backup
              export RESTIC_PASSWORD_COMMAND='llavero get --service restic:backup'
              restic -r /srv/backup init
              restic -r /srv/backup snapshots

          restic asks llavero for the repository's password, and you for nothing.

          """#)
    ])
}
