extension HelpTopic {
  static let sharing = HelpTopic(
    name: "sharing", summary: "One keychain for a team, or for several of your machines",
    text: """
      IN A GIT REPOSITORY

      All that it takes is a repository that everybody can write to. It gets one
      encrypted file; the host of the repository can't read it. Make the keychain in a
      repository that has none, and put a login into it:

          llavero keychain add team git git@git.example.com:team/logins.git
          llavero add https://registry.example --account deploy --keychain team

      Somebody else types the same first line, and is told what a member has to type:

          llavero keychain member add team age1... --label bob
          llavero keychain member list team

      From then on git, docker and all other tools find the logins on both machines.
      Changes travel by themselves; this does it now:

          llavero sync

      IN OPENBAO OR HASHICORP VAULT

      The server's policies say who may read what. Answers come from an encrypted copy
      of what was asked for before, also while the server can't be reached:

          llavero keychain add fleet openbao https://bao.example.com:8200
          llavero keychain list

      WHAT IS YOURS, AND WHAT IS EVERYBODY'S

      What you store goes to your own keychain unless you name another one. What git
      forgets because a server refused it is hidden on your machine, and stays for the
      others:

          llavero list
          llavero keychain reveal team https://registry.example
          llavero delete https://registry.example --keychain team

      WHEN SOMEBODY LEAVES

      The keychain gets a new key, and you get a list of all that they could read, with
      the pages where you can change it:

          llavero keychain member remove team bob

      More is in llavero-shared(1), llavero-openbao(7) and llavero-keychain(1).

      """)
}
