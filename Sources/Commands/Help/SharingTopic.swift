extension HelpTopic {
  static let sharing = HelpTopic(
    name: "sharing", summary: "One keychain for a team, or for several machines",
    text: """
      IN A GIT REPOSITORY

      It needs a repository that all can write to. That gets one encrypted file, which
      its host can't read. Make the keychain there, and put a login into it:

          llavero keychain add team git git@git.example.com:team/logins.git
          llavero add https://npm.example.com --account ci --keychain team

      Others type the same first line, and are told what a member has to type:

          llavero keychain member add team age1... --label bob

      Git, docker and all other tools find the logins on every machine from then on.
      Changes travel by themselves; 'llavero sync' does it now.

      IN OPENBAO OR HASHICORP VAULT

      The server's policies say who may read what. Answers come from an encrypted copy
      of what was asked for before, also while the server can't be reached:

          llavero keychain add fleet openbao https://bao.example.com:8200

      WHAT IS YOURS, AND WHAT IS EVERYBODY'S

      What you store is yours unless you name another keychain. What a server refused
      is hidden on your machine, and stays for the others:

          llavero keychain reveal team https://npm.example.com
          llavero delete https://npm.example.com --keychain team

      WHEN SOMEBODY LEAVES

      The keychain gets a new key, and you a list of all that they could read:

          llavero keychain member remove team bob

      More is in llavero-shared(1), llavero-openbao(7) and llavero-keychain(1).

      """)
}
