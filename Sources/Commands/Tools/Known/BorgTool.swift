extension KnownTool {
  static let borg = KnownTool(
    name: "borg", page: "llavero-vault-client(1)",
    recipes: [
      ToolRecipe(
        name: "borg",
        text: #"""
          BORG

              llavero add --service borg:backup
              export BORG_PASSCOMMAND='llavero get --service borg:backup'
              borg init --encryption repokey /srv/backup
              borg list /srv/backup

          borg asks llavero for the repository's passphrase, and you for nothing.

          """#)
    ])
}
