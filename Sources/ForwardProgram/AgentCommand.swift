import Bytes
import CLinux
import EncryptedFile
import Forwarding
import ForwardingAgent
import Glibc
import HostKeys
import Keychain
import PrivateFiles
import Terminals
import ToolCommands

/// The agent that forwards the keychain, until a signal ends it.
enum AgentCommand {
  /// The operand that starts it.
  static let operand = "agent"

  /// Runs the agent, and ends the process.
  ///
  /// - Parameter arguments: `--no-keys`.
  static func main(_ arguments: [String]) -> Never {
    do throws(Failure) {
      try run(arguments)
    } catch {
      Program.end(error)
    }
    Program.end(Status.done.rawValue)
  }

  private static func run(_ arguments: [String]) throws(Failure) {
    var passesKeys = true
    for argument in arguments {
      guard argument == "--no-keys" else {
        throw Failure("\(operand) has no option '\(argument)'", status: .usage)
      }
      passesKeys = false
    }
    let places = try explaining(ForwardingPlaces())
    let folder = try explaining(Folder(creating: places.runtimeFolder))
    let lock = try explaining({ () throws(KeychainError) -> FileLock in
      try FileLock(ForwardingPlaces.lockName, in: folder, patience: 0) {}
    })
    let socket = places.forwardingSocket
    unlink(socket)
    let listener = clinux_listen_unix(socket, 256)
    if listener < 0 {
      throw Failure(KeychainError.system(operation: "listen at", path: socket, errno: errno))
    }
    defer { unlink(socket) }
    var settings = ForwardingAgent<GcryptCryptography>.Settings(
      upstream: VaultLocation.environmentVariable("SSH_AUTH_SOCK"), program: "/proc/self/exe",
      programName: AnsweringProgram.name)
    settings.passesKeys = passesKeys
    let cryptography = GcryptCryptography()
    let log = RequestLog(in: places.stateFolder)
    let policy = RulePolicy(
      rulePath: places.rules, knownHostsPaths: places.knownHosts, cryptography, log: log.append,
      tell: { StandardStreams.say("\($0)") })
    clinux_refuse_core_for_good()
    clinux_name_thread("llavero-forward")
    let agent = ForwardingAgent(
      [(listener, .forwarding)], signals: clinux_ending_signals(), settings, cryptography, policy)
    agent.run()
    _ = lock.descriptor
  }
}
