extension HelpTopic {
  static let headless = HelpTopic(
    name: "headless", summary: "Servers, ssh and jobs: no desktop, or a locked keyring",
    text: """
      WHERE NO DESKTOP IS

      On a server, in a container and in WSL nothing has to be set up: the first login
      that is stored makes an encrypted file, which a key file opens. Nobody is asked
      for anything. What is used, and why:

          llavero status
          llavero doctor

      OVER SSH, THE KEYRING IS LOCKED

      The desktop's keyring is unlocked by logging in on the desktop. Over ssh it is
      unlocked by its password, on the terminal:

          llavero unlock

      Or use the file on that machine from now on, or for one command:

          llavero keychain use file
          llavero list --keychain file

      A FILE WITH A PASSPHRASE

      It stays unlocked for a while after it was opened. Jobs can open it by what a
      program prints, or by a credential of systemd, LoadCredential=llavero:FILE.

          llavero unlock --for 8h --idle 1h
          LLAVERO_PASSPHRASE_COMMAND='cat /run/secrets/llavero' git fetch

      JOBS MUST NOT WAIT

      With LLAVERO_PROMPT=never in the environment, or --no-prompt, nobody is asked
      anything, and a locked keychain is an error at once, with status 2.

          llavero get https://github.com --no-prompt
          LLAVERO_PROMPT=never git fetch

      """)
}
