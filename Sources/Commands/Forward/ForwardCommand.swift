import ArgumentParser

struct ForwardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forward",
    abstract: "Offer this machine's keychain to other hosts and to containers",
    discussion: """
      Nothing is stored on the other side. A host has to be verified by its key in known_hosts, and gets what you have \
      allowed; about everything else you are asked, here.

        llavero forward setup build.example      (ssh forwards the keychain there)
        llavero forward allow build.example 'https://github.com/acme'
        ssh build.example git clone https://github.com/acme/private

      The other side needs llavero too: 'llavero forward install build.example' brings it there. For containers and \
      sandboxes, which can't be verified, there are 'llavero forward socket' and 'llavero forward run'. See \
      llavero-forward(1).
      """,
    subcommands: [
      ForwardSetupCommand.self, ForwardInstallCommand.self, ForwardAllowCommand.self, ForwardDenyCommand.self,
      ForwardListCommand.self, ForwardLogCommand.self, ForwardStartCommand.self, ForwardStopCommand.self,
      ForwardStatusCommand.self, ForwardSocketCommand.self, ForwardRunCommand.self,
    ])
}
