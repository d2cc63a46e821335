import Bytes
import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@testable import Age
@testable import EncryptedFile
@testable import ForwardProgram
@testable import NetworkProgram
@testable import ToolCommands

/// Each program that llavero starts, started by a process that has another descriptor open, ignores SIGHUP, SIGPIPE and
/// SIGXFSZ, and holds back SIGUSR1.
@Suite("What a started program gets", .aheadOfOthers) struct StartedProgramTests {
  @Test("is what it needs, and nothing else of this process")
  func table() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      try StartedProgramTests.printTable()
    }
    let rows = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    expect(rows.split(separator: "\n").map(String.init), is: Self.expected)
  }

  private static let expected = [
    "output: 0=null 1=pipe 2=zero USR1 blocked, HUP ignored, PIPE ignored, marked",
    "without-errors: 0=null 1=pipe 2=null USR1 blocked, HUP ignored, PIPE ignored, marked",
    "conversation: 0=socket 1=pipe 2=zero USR1 blocked, HUP ignored, PIPE ignored, marked",
    "recorded: 0=socket 1=pipe 2=pipe USR1 blocked, HUP ignored, PIPE ignored, marked",
    "stand-in: 0=null 1=null 2=zero 19=zero HUP ignored, PIPE ignored, XFSZ ignored, ",
    "detached: 0=pipe 1=pipe 2=pipe own session",
    "piped: 0=pipe 1=pipe 2=zero ",
    "plugin: 0=socket 1=socket 2=zero HUP ignored, ",
    "quiet-plugin: 0=socket 1=socket 2=null HUP ignored, ",
    "agent: 0=null 1=null 2=null 3=socket 4=file 5=file own session, no environment",
    "browser: 0=null 1=null 2=null own session",
  ]

  private static func printTable() throws {
    let folder = TemporaryFolder()
    guard dup2(open("/dev/zero", O_RDONLY), 19) == 19, dup2(open("/dev/zero", O_RDWR), 2) == 2 else { return }
    for number in [SIGHUP, SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    var held = sigset_t()
    sigemptyset(&held)
    sigaddset(&held, SIGUSR1)
    pthread_sigmask(SIG_SETMASK, &held, nil)

    func row(_ name: String, _ start: (String) throws -> Void) throws {
      let program = folder["age-plugin-\(name)"]
      folder.write(Array(probe.utf8), to: "age-plugin-\(name)")
      chmod(program, 0o700)
      try start(program)
      let deadline = SystemClock.awake + 60_000
      while access("\(program).seen", F_OK) != 0, SystemClock.awake < deadline { usleep(2000) }
      let seen = folder.read("age-plugin-\(name).seen") ?? Array("nothing".utf8)
      print("\(name): \(String(decoding: seen, as: UTF8.self))", terminator: "")
    }
    func word(_ text: String) -> CString { CString(copying: text) }
    try row("output") { _ = try ProgramOutput.read([word($0)], timeout: 60_000, limit: 100) }
    try row("without-errors") {
      _ = try ProgramOutput.read([word($0)], timeout: 60_000, limit: 100, showsErrors: false)
    }
    try row("conversation") {
      _ = try ProgramOutput.converse([word($0)], sending: Secret("x"), timeout: 60_000, limit: 100)
    }
    try row("recorded") {
      _ = try ProgramOutput.record([word($0)], timeout: 60_000, limit: 100)
    }
    // As SupervisedProgram starts it, which waits for signals that only a process with one thread gets.
    try row("stand-in") {
      var none = sigset_t()
      sigemptyset(&none)
      let streams: [ProgramStart.Descriptor] = [.inherited, .null, .copy(of: 19)]
      _ = try ProgramStart([word($0)], streams, .standIn(blocked: none)).run()
    }
    try row("detached") { _ = try DetachedProgram.start($0, [$0]) }
    try row("piped") { path in
      let program = PipedProgram(path, as: "a name")
      program?.dismiss()
      withExtendedLifetime(program) {}
    }
    try row("plugin") { path in
      let plugin = try PluginProcess(path: path, stateMachine: "recipient-v1", standardError: .inherited)
      _ = plugin.end(patiently: true)
    }
    try row("quiet-plugin") { path in
      let plugin = try PluginProcess(path: path, stateMachine: "recipient-v1", standardError: .discarded)
      _ = plugin.end(patiently: true)
    }
    try row("agent") { try AgentProgram(path: $0, name: "an agent").start(in: folder.path) }
    try row("browser") { path in
      setenv("BROWSER", path, 1)
      _ = BrowserProgram.open("https://git.example.com")
    }
  }

  /// A program that writes its descriptors, the signals that it has blocked and ignores, and whose session and group it is
  /// in, to a file beside it. `19` is the descriptor that was open before, and `zero` the standard error of this process.
  private static let probe = #"""
    #!/bin/sh
    text= numbers='0 1 2 3 4 5 19'
    # It has all of this process, which has others between these.
    case $0 in *-stand-in) numbers='0 1 2 19' ;; esac
    for number in $numbers; do
      [ -e "/proc/$$/fd/$number" ] || continue
      to=$(readlink "/proc/$$/fd/$number")
      case $to in /dev/null | /dev/zero) to=${to##*/} ;; *:*) to=${to%%:*} ;; *) to=file ;; esac
      text="$text$number=$to "
    done
    while read -r name value; do
      case $name in
        SigBlk:) [ $((0x${value#????????} & 0x200)) = 0 ] || text="${text}USR1 blocked, " ;;
        SigIgn:)
          for signal in 1:HUP 13:PIPE 25:XFSZ; do
            [ $((0x${value#????????} >> ${signal%:*} - 1 & 1)) = 0 ] || text="$text${signal#*:} ignored, "
          done
          ;;
      esac
    done </proc/$$/status
    read -r _ _ _ _ group session _ </proc/$$/stat
    [ "$session" = $$ ] && text="${text}own session" || { [ "$group" = $$ ] && text="${text}own group"; }
    [ -n "$LLAVERO_ASKING" ] && text="${text}marked"
    [ -z "$HOME" ] && text="$text, no environment"
    echo "$text" >"$0.new"
    mv "$0.new" "$0.seen"

    """#
}
