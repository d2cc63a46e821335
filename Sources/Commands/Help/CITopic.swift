extension HelpTopic {
  static let ci = HelpTopic(
    name: "ci", summary: "Jobs: the first login without a question",
    text: """
      A JOB'S FIRST LOGIN

      The runner has a secret for the job in a variable. Pipe it in, and no command
      line shows it. Nothing has to be set up before, and nobody is asked:

          export LLAVERO_PROMPT=never GIT_TERMINAL_PROMPT=0
          printf %s "$TOKEN" | llavero add https://git.example --account ci --update
          llavero setup git --yes

      A systemd service with LoadCredential=token:FILE reads it from there:

          llavero add https://git.example --account ci --update \\
            <"$CREDENTIALS_DIRECTORY/token"

      LoadCredential=llavero:FILE gives the passphrase of a keychain that has one.

      WITHOUT A SECRET

      Runners vouch for a job with a token of its own, in a variable or a file. If the
      server takes it, llavero gets a login for it each time that one is needed:

          llavero add https://app.example --exchange https://app.example/token \\
            --token-variable ID_TOKEN

      OpenBao and HashiCorp Vault take it too, and then give what the role may read.
      In a pod of Kubernetes, use login=kubernetes and no file:

          llavero keychain add fleet openbao https://bao.example:8200 \\
            --set login=jwt --set role=ci --set jwt-file=/run/job/token

      WHEN SOMETHING IS WRONG

      The job waits for nobody. The exit status says what happened: 0 done, 1 there
      is no login, 2 something can't be used, 64 wrong usage.

          llavero get https://git.example >/dev/null || echo "status $?"
          llavero doctor

      'llavero doctor' ends with 2 if nothing can open the keychain: no passphrase
      command, no credential, nobody to ask. What it finds about tools doesn't count.

      """)
}
