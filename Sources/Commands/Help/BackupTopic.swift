extension HelpTopic {
  static let backup = HelpTopic(
    name: "backup", summary: "Backups of the encrypted file, and a new machine",
    text: """
      WHAT TO KEEP

      The encrypted file, and what opens it. 'llavero status' says where both are:

          ~/.local/share/llavero/vault.age       may be in any backup
          ~/.local/state/llavero/identity.txt    the key: keep it elsewhere

      Without the key the file can't be opened. You can also open it with a code on a
      sheet of paper, or with a passphrase:

          llavero slot add recovery
          llavero slot add passphrase
          llavero slot list

      A NEW MACHINE

      Copy the file into the same folder there, which nobody else may read. Copy the
      key too, or type the recovery code or the passphrase there:

          install -d -m 700 ~/.local/share/llavero ~/.local/state/llavero
          scp -p old:.local/share/llavero/vault.age ~/.local/share/llavero/
          scp -p old:.local/state/llavero/identity.txt ~/.local/state/llavero/
          llavero vault verify

      WHEN SOMETHING IS GONE

      You can bring back deleted and replaced items for 30 days, and earlier states of
      the file for as long as 'llavero vault log' lists them:

          llavero undelete https://github.com --account alice
          llavero vault log
          llavero vault restore 12

      Don't copy a backup over the present folder: what was stored since would be
      gone. Merge the backup instead:

          llavero vault merge /backup/llavero/vault.age

      The desktop's keyring has none of that: back up ~/.local/share/keyrings.

      """)
}
