extension HelpTopic {
  static let backup = HelpTopic(
    name: "backup", summary: "Backups of the encrypted file, and a new machine",
    text: """
      WHAT TO KEEP

      The encrypted file, and what opens it. 'llavero status' says where both are:

          ~/.local/share/llavero/vault.age       can lie in any backup
          ~/.local/state/llavero/identity.txt    the key: keep it elsewhere

      Without the key the file can't be opened. More ways in, for a sheet of paper
      and for your head:

          llavero slot add recovery
          llavero slot add passphrase
          llavero slot list

      A NEW MACHINE

      Copy the file into the same folder there, which must be yours alone, and the key
      too, or type the recovery code or the passphrase there:

          install -d -m 700 ~/.local/share/llavero ~/.local/state/llavero
          scp -p old:.local/share/llavero/vault.age ~/.local/share/llavero/
          scp -p old:.local/state/llavero/identity.txt ~/.local/state/llavero/
          llavero vault verify

      WHEN SOMETHING IS GONE

      Deleted and replaced items can be brought back for 30 days, and former states of
      the file as long as 'llavero vault log' has them:

          llavero undelete https://github.com --account alice
          llavero vault log
          llavero vault restore 12

      In the desktop's keyring there is none of that: back up ~/.local/share/keyrings.

      """)
}
