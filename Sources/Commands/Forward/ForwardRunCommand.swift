import ArgumentParser
import Bytes
import Forwarding
import Glibc
import Keychain
import ToolCommands

struct ForwardRunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a program with a socket through which it may use some logins",
    usage: "llavero forward run [--allow <place> ...] [--write] -- <program> [<argument> ...]",
    discussion: """
      The program finds the socket in LLAVERO_FORWARD, and may use what is allowed here and nothing else; nobody is \
      asked. The socket is gone with the program. This keeps nothing from a program that can read your files: let it \
      start a sandbox, and give that the socket's folder. Where --allow names a path, git has to send it: in the \
      sandbox, 'llavero setup git' has it do so.

        llavero forward run --allow https://github.com/acme -- \\
          sh -c 'bwrap --ro-bind /usr /usr ... \\
                 --bind "${LLAVERO_FORWARD%/*}" /run/llavero \\
                 --setenv LLAVERO_FORWARD /run/llavero/agent make'
      """)

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("A URL, a host for https, service:NAME or * (repeatable)", valueName: "place"))
  var allow: [String] = []

  @Flag(help: "Allow it to store, change and erase there, too")
  var write = false

  @Argument(
    parsing: .postTerminator, help: ArgumentHelp("The program and its arguments", valueName: "program"))
  var program: [String] = []

  func run() throws(KeychainError) {
    guard !program.isEmpty else {
      throw .failure(
        "no program was given", hint: "it has to stand after '--'; see 'llavero forward run --help'",
        status: .usage)
    }
    let rules = try allow.map { (text) throws(KeychainError) in
      guard let place = PlacePattern(typed: text) else {
        throw .failure("'\(text)' is not a place", hint: "see 'llavero forward allow --help'", status: .usage)
      }
      return ForwardingRule(.allow, .socket("sandbox"), place, mayChange: write)
    }
    if rules.isEmpty { StandardStreams.say("nothing is allowed here; name it with --allow") }
    let agent = try ForwardingPlaces.here().runningAgent()
    guard let socket = try agent.ask(.sandbox(rules)).socket else {
      throw .failure("the agent has made no socket", status: .keychain)
    }
    var environment = ProgramEnvironment()
    for (name, value) in [("LLAVERO_FORWARD", socket), ("LLAVERO_KEYCHAIN", "forwarded")]
      as [(ByteString, ByteString)]
    {
      value.bytes.lendingBytes { environment.set(name, $0) }
    }
    ProcessSettings.takeBack()
    let supervised = try SupervisedProgram()
    let outcome = supervised.run(program.map { CString(copying: $0) }, environment)
    // The connection must live until here: the socket ends with it.
    _ = agent.process
    switch outcome {
    case .ended(.exited(let status)): Program.end(status)
    case .ended(.killed(let signal)): Program.end(128 + signal)
    case .failed(let number):
      StandardStreams.say("cannot run \(program[0]): \(errorText(number))")
      Program.end(number == ENOENT || number == ENOTDIR ? 127 : 126)
    }
  }
}
