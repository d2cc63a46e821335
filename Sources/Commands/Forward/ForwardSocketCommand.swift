import ArgumentParser
import Bytes
import Forwarding
import Keychain
import ToolCommands

struct ForwardSocketCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "socket",
    abstract: "Make a socket for a container, or for a client that can't be verified",
    discussion: """
      The rules for socket:NAME say what everybody who reaches the socket may have. Mount its folder, not the socket \
      itself: then it goes on working when the agent is restarted.

        llavero forward socket devcontainer
        llavero forward allow socket:devcontainer https://github.com/acme
        folder=$(dirname "$(llavero forward socket devcontainer)")
        podman run -v "$folder:/run/llavero" \\
          -e LLAVERO_FORWARD=/run/llavero/agent IMAGE
      """)

  @Argument("What it is called: letters, digits, dots, dashes and underscores", value: "name")
  var name: String

  @Flag(help: "Remove it with its rules, and end its connections")
  var remove = false

  func run() throws(KeychainError) {
    let name = ByteString(name)
    guard ForwardedHost.isSocketName(name), !NamedSockets.isOfSandbox(name) else {
      throw .failure(
        "'\(self.name)' is not a name for a socket",
        hint: """
          it has 1 to 64 letters, digits, dots, dashes and underscores, and begins neither with a dot nor with sandbox-
          """, status: .usage)
    }
    let places = try ForwardingPlaces.here()
    let sockets = NamedSockets(in: places.namedSockets)
    if remove {
      let wasThere = try sockets.remove(name)
      if let running = try ForwardingAgentControl(places) { _ = try running.ask(.sockets) }
      // They would count for the next socket of that name.
      let removed = try ForwardingRule.removeAll(of: "socket:\(self.name)", at: nil)
      if !wasThere, removed == 0 {
        throw .failure("there is no socket '\(self.name)'", status: .nothingMatched)
      }
      return
    }
    try sockets.make(name)
    _ = try places.runningAgent().ask(.sockets)
    try StandardStreams.write("\(sockets.path(of: name))\n" as TextForTerminal)
  }
}
