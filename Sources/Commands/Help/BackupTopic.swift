extension HelpTopic {
  static let backup = HelpTopic(
    name: "backup", summary: "Backups of the encrypted file, and a new machine",
    text: """
      WHAT TO KEEP

      The encrypted file, and what opens it. 'llavero status' says where both are:

          ~/.local/share/llavero/vault.age       may be in any backup
          ~/.local/state/llavero/identity.txt    the key: keep it elsewhere

      Without the key nobody can open it, unless you add a code or a passphrase:

          llavero slot add recovery
          llavero slot add passphrase

      A NEW MACHINE

      Where there is no encrypted file yet, copy the file and its key. You can leave
      the key, and type the recovery code or the passphrase:

          test ! -e ~/.local/share/llavero/vault.age &&
            install -d -m 700 ~/.local/share/llavero ~/.local/state/llavero &&
            scp -p old:.local/share/llavero/vault.age ~/.local/share/llavero/ &&
            scp -p old:.local/state/llavero/identity.txt ~/.local/state/llavero/

      Where there is one, import from a folder; without the key, leave out --identity:

          llavero import llavero FOLDER/vault.age --identity FOLDER/identity.txt

      WHEN SOMETHING IS GONE

      You can bring back deleted and replaced items for 30 days, and earlier states of
      the file for as long as 'llavero vault log' lists them:

          llavero undelete https://github.com --account alice
          llavero vault log
          llavero vault restore 12

      Don't copy a backup over the present folder. Merge it, so that nothing is lost:

          llavero vault merge /backup/llavero/vault.age

      The desktop's keyring has none of that: back up ~/.local/share/keyrings.

      """)
}
