extension HelpTopic {
  static let protection = HelpTopic(
    name: "protection", summary: "Who can read what is kept, and keeping others out",
    text: """
      WHO CAN READ IT

      'llavero status' says in one line which of these it is:

      The desktop's keyring: while it is unlocked, every program of yours. Locked, as
      after logging out, nobody without its password.

      A file with a key file: whoever can read your home directory, so every program
      of yours, root, and the finder of a disk that isn't encrypted. Not who has a
      copy of the encrypted file alone, as from a backup or a synchronised folder.

      A file with a passphrase: nobody without it, even with all of your home; but
      while it is unlocked, every program of yours.

      Nothing is kept in the clear, and no other keychain is taken in the place of one
      that is locked or broken.

      KEEPING MORE PEOPLE OUT

      A passphrase in the place of the key file, asked for once in a while:

          llavero slot add passphrase
          llavero slot remove identity-file
          llavero lock

      If a key or a passphrase was lost to somebody, remove it and draw a new key. The
      copies that were made before still open as they did, so change the tokens, too:

          llavero slot list
          llavero rotate

      No tool is given more than what it asks for: https never answers http, and a
      tool's own login is given to no other. SECURITY.md says what else is protected.

      """)
}
