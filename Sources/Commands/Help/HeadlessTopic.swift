extension HelpTopic {
  static let headless = HelpTopic(
    name: "headless", summary: "Servers, ssh and jobs: no desktop, or a locked keyring",
    text: """
      WITHOUT A DESKTOP

      On a server, in a container and in WSL you don't have to set anything up: the
      first login you store makes an encrypted file, which a key file opens. You are
      not asked for anything. To see what is used, and why:

          llavero status
          llavero doctor

      OVER SSH, THE KEYRING IS LOCKED

      Logging in on the desktop unlocks its keyring. Over ssh you unlock it with its
      password, on the terminal:

          llavero unlock

      Or use the file on that machine from now on, or for one command:

          llavero keychain use file
          llavero list --keychain file

      With a key file, 'llavero lock' has nothing to lock, and ends with 0.

      A FILE WITH A PASSPHRASE

      It stays unlocked for a while after you open it. Jobs can open it with what a
      program prints, or with a systemd credential, LoadCredential=llavero:FILE. For a
      process with another XDG_RUNTIME_DIR, or with none, it is locked.

          llavero unlock --for 8h --idle 8h
          LLAVERO_PASSPHRASE_COMMAND='cat /run/secrets/llavero' git fetch

      JOBS MUST NOT WAIT

      With LLAVERO_PROMPT=never in the environment, or with --no-prompt, llavero asks
      nobody, and a locked keychain is an error at once, with status 2. Git itself
      asks on a terminal, unless GIT_TERMINAL_PROMPT is 0.

          llavero get https://github.com --no-prompt
          LLAVERO_PROMPT=never GIT_TERMINAL_PROMPT=0 git fetch

      """)
}
