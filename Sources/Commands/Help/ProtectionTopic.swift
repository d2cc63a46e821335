extension HelpTopic {
  static let protection = HelpTopic(
    name: "protection", summary: "Who can read what is kept, and keeping others out",
    text: """
      WHO CAN READ IT

      'llavero status' tells you in one line which of these you have:

      The desktop's keyring: while it is unlocked, every program of yours. When it is
      locked, as after you log out, nobody without its password.

      A file with a key file: anyone who can read your home directory. That is every
      program of yours, root, and the finder of a disk that isn't encrypted; but not
      somebody who has only a copy of the file, from a backup or a synced folder.

      A file with a passphrase: nobody without the passphrase, even with all of your
      home directory; but while it is unlocked, every program of yours.

      Nothing is stored in plain text, and llavero never falls back silently to
      another keychain.

      KEEPING MORE PEOPLE OUT

      Use a passphrase instead of the key file. You are asked once in a while:

          llavero passphrase
          llavero lock

      If the key file leaked, make a new key, which takes its place. Copies that were
      made before still open as before, so change the tokens too:

          llavero rotate

      If a passphrase or another way in leaked, remove that first:

          llavero slot list
          llavero slot remove ID
          llavero rotate

      https never answers http. A tool gets what it has stored itself, else git's
      login for that place, where that is safe; git gets none that another tool has
      stored. SECURITY.md says what else is protected.

      """)
}
