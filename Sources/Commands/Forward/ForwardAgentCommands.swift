import ArgumentParser
import Bytes
import EncryptedFile
import Forwarding
import Glibc
import Keychain
import KeychainChoice
import ToolCommands

struct ForwardStartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Start the agent that stands between ssh and your ssh agent",
    discussion: """
      'llavero forward setup' lets ssh start it. It passes everything about keys on to the agent in SSH_AUTH_SOCK, \
      byte for byte. It asks you by pinentry or askpass, as llavero-passphrase(1) says; with --foreground, on this \
      terminal.

        llavero forward start
        llavero forward start --foreground
      """)

  @Flag(help: "Stay here, and ask on this terminal")
  var foreground = false

  @Flag(help: "Pass no request for keys on, so that hosts get logins alone")
  var noKeys = false

  @Flag(help: "Say nothing unless it fails")
  var quiet = false

  func run() throws(KeychainError) {
    let places = try ForwardingPlaces.here()
    let upstream = VaultLocation.environmentVariable("SSH_AUTH_SOCK")
    if let running = try ForwardingAgentControl(places) {
      if foreground {
        throw .failure(
          "the agent runs already (process \(running.process))", hint: "end it with 'llavero forward stop'",
          status: .nothingMatched)
      }
      // This may be a new login with another agent. The agent's own sockets would lead back to itself.
      if let upstream, !upstream.hasPrefix(places.runtimeFolder + "/") {
        _ = try running.ask(.upstream(ByteString(upstream)))
      }
      if noKeys { _ = try running.ask(.keys(false)) }
      if !quiet { StandardStreams.say("the agent runs already (process \(running.process))") }
      return
    }
    // `ssh -G` runs this for one of llavero's commands. An agent would inherit the environment for the programs that
    // llavero asks.
    if VaultLocation.environmentVariable(ChildProcess.markerVariable) != nil, quiet {
      Program.end(ExitStatus.nothingMatched.rawValue)
    }
    let options = noKeys ? ["--no-keys"] : []
    if foreground { try Self.become(options) }
    try Self.start(options)
    if !quiet { StandardStreams.say("the agent listens at \(places.forwardingSocket)") }
  }

  private static func program() throws(KeychainError) -> String {
    guard let path = Executables.companion(Executables.forwarding) else {
      throw .failure(
        "\(Executables.forwarding) is not installed", hint: "install all of llavero on this machine",
        status: .keychain)
    }
    return path
  }

  /// Starts the agent in the background, and returns when it listens.
  static func start(_ options: [String]) throws(KeychainError) {
    let path = try program()
    ProcessSettings.takeBack()
    let (said, ending) = try DetachedProgram.start(
      path, [Executables.forwarding, "agent", "--detached"] + options)
    ProcessSettings.make()
    guard said.isEmpty, ending == nil else {
      let why = said.split(separator: "\n").first.map { String($0) } ?? "it \(ending?.text ?? "has ended")"
      let prefix = "llavero: "
      throw .failure(
        "the agent could not be started: \(why.hasPrefix(prefix) ? String(why.dropFirst(prefix.count)) : why)",
        status: .keychain)
    }
  }

  private static func become(_ options: [String]) throws(KeychainError) {
    let path = try program()
    ProcessSettings.takeBack()
    let arguments = [Executables.forwarding, "agent"] + options
    _ = CString.withPointers(arguments.map { CString(copying: $0) }) { execv(path, $0) }
    throw .failure("cannot run \(path): \(errorText(errno))", status: .keychain)
  }
}

struct ForwardStopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop", abstract: "End the agent, and with it all that was allowed for sessions")

  func run() throws(KeychainError) {
    guard let running = try ForwardingAgentControl(try ForwardingPlaces.here()) else {
      throw .failure("the agent does not run", status: .nothingMatched)
    }
    let process = running.process
    if kill(pid_t(process), SIGTERM) != 0 {
      throw .failure("cannot end process \(process): \(errorText(errno))", status: .keychain)
    }
    if !running.waitForEnd(10_000) {
      throw .failure("process \(process) has not ended within 10 seconds", status: .keychain)
    }
  }
}

struct ForwardStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Say whether the agent runs, and who is connected",
    discussion:
      "The exit status is 1 if it doesn't run, and 2 if no host may have anything because the rule file is broken."
  )

  @OptionGroup var output: OutputOptions

  func run() throws(KeychainError) {
    let places = try ForwardingPlaces.here()
    let running = try ForwardingAgentControl(places)
    let response = try running.map { (running) throws(KeychainError) in try running.ask(.status) }
    let report: JSONObject = [
      "running": running != nil, "socket": places.forwardingSocket, "process": running?.process,
    ]
    try output.write(
      report + JSONObject { if let response { $0.members(of: response) } },
      or: text(places, running, response))
    do throws(RuleStore.Fault) {
      _ = try RuleStore(at: places.rules).read()
    } catch {
      throw KeychainError(places, error)
    }
    if running == nil { Program.end(ExitStatus.nothingMatched.rawValue) }
  }

  private func text(
    _ places: ForwardingPlaces, _ running: ForwardingAgentControl?, _ response: ControlResponse?
  ) -> TextForTerminal {
    guard let running, let response else {
      return columns([["agent", "does not run; 'llavero forward start' starts it"]])
    }
    let since = response.start.map { ", since \(dateText($0))" } ?? ""
    var rows = [
      ["agent", "process \(running.process)\(since)"], ["socket", places.forwardingSocket],
      [
        "ssh agent", response.passesKeys ? response.upstream.map { "\($0)" } ?? "none" : "hosts get no keys",
      ],
      [
        "questions",
        response.canAsk
          ? countText(response.questions, "question") + " open"
          : "nobody can be asked, so requests that no rule allows are refused; see llavero-forward(1)",
      ],
    ]
    for name in response.sockets { rows.append(["socket", "\(name)"]) }
    for client in response.clients {
      let who = client.hosts.isEmpty ? "not verified" : client.hosts.map { "\($0)" }.joined(separator: " -> ")
      rows.append([
        "connected", "\(who), process \(client.process), \(countText(client.connections, "connection"))",
      ])
    }
    rows.append(["leases", "\(response.leases.count)"])
    return columns(withTilde(rows), wrappedTo: TerminalStyle().width)
  }
}

extension KeychainError {
  /// The failure if the rules can't be read, and so no host may have anything.
  init(_ places: ForwardingPlaces, _ fault: RuleStore.Fault) {
    self.init(
      "no host may have anything, because \(places.rules) can't be used: \(fault.text)",
      hint: "mend it with an editor; llavero-forward(1) has its format", status: .keychain)
  }
}
