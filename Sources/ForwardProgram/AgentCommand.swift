import Bytes
import CLinux
import EncryptedFile
import Forwarding
import Glibc
import Keychain
import PrivateFiles
import ToolCommands

/// The agent that forwards the keychain, until a signal ends it.
enum AgentCommand {
  static let operand = "agent"

  /// - Parameter arguments: `--no-keys`; `--detached`, with which it closes its output as soon as it serves.
  static func main(_ arguments: [String]) -> Never {
    do throws(KeychainError) {
      try run(arguments)
    } catch {
      Program.end(error)
    }
    Program.end(ExitStatus.done.rawValue)
  }

  private static func run(_ arguments: [String]) throws(KeychainError) {
    var (passesKeys, isDetached) = (true, false)
    for argument in arguments {
      switch argument {
      case "--no-keys": passesKeys = false
      case "--detached": isDetached = true
      default: throw .failure("\(operand) has no option '\(argument)'", status: .usage)
      }
    }
    let timeout = try PassphraseSources.promptTimeout()
    let places = try ForwardingPlaces()
    let folder = try Folder(creating: places.runtimeFolder)
    let lock = try FileLock(ForwardingPlaces.lockName, in: folder, patience: 0) {}
    var listeners: [(descriptor: Int32, entry: EntryPoint)] = []
    func removeSockets() { for path in [places.forwardingSocket, places.controlSocket] { unlink(path) } }
    // The control socket is last: once it is there, the other is, too.
    for (path, entry) in [(places.forwardingSocket, .forwarding), (places.controlSocket, .control)]
      as [(String, EntryPoint)]
    {
      unlink(path)
      let listener = clinux_listen_unix(path, 256)
      if listener < 0 {
        let number = errno
        removeSockets()
        throw KeychainError.system(operation: "listen at", path: path, errno: number)
      }
      listeners.append((listener, entry))
    }
    var settings = ForwardingAgent<GcryptCryptography>.Settings(
      upstream: VaultLocation.environmentVariable("SSH_AUTH_SOCK"), program: "/proc/self/exe",
      answeringName: ForwardAnswerProgram.name, askingName: AskingProgram.name)
    settings.passesKeys = passesKeys
    settings.questionTime = min(settings.questionTime, timeout)
    settings.watchingProgram = Executables.companion(SecretServiceCompanion.name)
    settings.watchingName = SecretServiceCompanion.screenWatch
    let cryptography = GcryptCryptography()
    let log = LineLog.ofRequests(in: places.stateFolder)
    let policy = RulePolicy(
      rulePath: places.rules, knownHostsPaths: places.knownHosts, cryptography,
      canAsk: { WordPrompt.isThere }, log: { log.append($0) }, tell: { StandardStreams.say("\($0)") })
    if isDetached {
      // Its starter waits for the end of its output.
      let nothing = clinux_openat(AT_FDCWD, "/dev/null", O_RDWR, 0)
      for descriptor: Int32 in 1...2 { dup2(nothing, descriptor) }
      close(nothing)
      chdir("/")
    }
    clinux_refuse_core_for_good()
    clinux_name_thread("llavero-forward")
    let agent = ForwardingAgent(
      listeners, NamedSockets(in: places.namedSockets), signals: clinux_ending_signals(), settings,
      cryptography, policy)
    // A program that ends before it has read its work must not end this one.
    signal(SIGPIPE, SIG_IGN)
    clinux_release_code()
    agent.run()
    // While nobody else can start, and before the connections end: after that end no socket is found, and another agent
    // can start.
    removeSockets()
    _ = consume lock
    withExtendedLifetime(agent) {}
  }
}
