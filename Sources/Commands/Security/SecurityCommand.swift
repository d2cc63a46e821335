import Bytes
import Keychain
import ToolCommands

/// `llavero security`, or `security` through a link: Apple's command of that name, with its commands for passwords.
/// Its options are unusual, so it starts without ArgumentParser. llavero-security(1) lists the differences.
enum SecurityCommand {
  /// The name of the link.
  static let name = "security"

  private static let usage = """
    usage: security [-hilqv] [-p prompt] [command [option...]]
        -h  List the commands, or say how one is used
        -i  Read commands from standard input, one a line
        -p  The same, with this prompt
        -q  Say nothing of what commands return
        -v  Name each command before it is carried out
        -l  No meaning here
    'security help' lists the commands.
    """

  private static let prompt = "security> "

  /// Returns the exit status.
  static func run(_ arguments: [CString]) -> Int32 {
    let session = SecuritySession()
    let options: SecurityOptions
    do throws(SecurityFailure) {
      // Like every command of llavero. The original reports it as an invalid option.
      if let first = arguments.first, first.bytes == "--help" {
        try writing { () throws(KeychainError) in try StandardStreams.write(raw: usage + "\n") }
        return 0
      }
      options = try SecurityOptions(arguments.map { SecurityWord($0) }, "hilp:qv")
    } catch {
      if case .status(let status, let function, let failure) = error {
        SecurityFailure.report(status, of: function, because: failure)
        return error.result & 0xff
      }
      if case .usage(let what) = error { SecurityFailure.say("security: \(what)") }
      SecurityFailure.say(TextForTerminal(stringLiteral: usage))
      return error.result
    }
    session.isQuiet = options.has("q")
    session.isVerbose = options.has("v")
    if options.has("h") {
      return run("help", options.operands, session) & 0xff
    } else if let first = options.operands.first {
      return run(first.text, Array(options.operands.dropFirst()), session) & 0xff
    } else if options.has("i") || options.has("p") {
      return interact(session, prompt: options.value("p").map { "\($0)" } ?? prompt) & 0xff
    }
    SecurityFailure.say(TextForTerminal(stringLiteral: usage))
    return SecurityFailure.usage("").result
  }

  private static func run(_ name: String, _ words: [SecurityWord], _ session: SecuritySession) -> Int32 {
    guard let command = SecurityOperation.named(name) else {
      SecurityFailure.say("security: unknown command \"\(terminalText(name))\"")
      return 1
    }
    // Not its arguments, because they may contain a password.
    if session.isVerbose { SecurityFailure.say("\(command.name)") }
    do throws(SecurityFailure) {
      try command.run(words, session)
      return 0
    } catch {
      error.report(command)
      return error.result
    }
  }

  /// Runs the commands on standard input, and returns the result of the last one.
  private static func interact(_ session: SecuritySession, prompt: String) -> Int32 {
    session.isInteractive = true
    // A later line may name another keychain, and by then the lines before it have been read.
    _ = CompanionNeed.wanted.obstacleToExec()
    let input = SecurityInput()
    let showsPrompt = StandardStreams.isTerminal(0)
    var result: Int32 = 0
    while true {
      if showsPrompt { try? StandardStreams.write(raw: prompt, to: 2) }
      switch input.next() {
      case .line(let line): result = run(line, session)
      case .ended: return result
      case .tooLong:
        SecurityFailure.say("security: a line is longer than \(SecurityLine.longest) bytes")
        return 1
      case .failed(let number):
        SecurityFailure.say("security: cannot read standard input: \(errorText(number))")
        return 1
      }
    }
  }

  private static func run(_ line: borrowing Secret, _ session: SecuritySession) -> Int32 {
    let words: [SecurityWord]
    do throws(SecurityFailure) {
      words = try SecurityLine.words(line)
    } catch {
      if case .told(let lines) = error { for line in lines { SecurityFailure.say("\(line)") } }
      return error.result
    }
    guard let first = words.first else { return 0 }
    let result = run(first.text, Array(words.dropFirst()), session)
    if result != 0, !session.isQuiet {
      SecurityFailure.say("\(terminalText(first.text)): returned \(result)")
    }
    return result
  }

  /// Lists the commands, or shows how some are used.
  static func help(_ words: [SecurityWord]) throws(SecurityFailure) {
    var text = ""
    for word in words {
      guard let command = SecurityOperation.named(word.text) else {
        throw .told(["security: help: no such command: \(terminalText(word.text))"])
      }
      text += command.usageText + "\n"
    }
    if words.isEmpty {
      for command in SecurityOperation.all {
        let padding = String(repeating: " ", count: max(0, 24 - command.name.count))
        text += "    \(command.name)\(padding) \(command.summary)\n"
      }
    }
    let lines = text
    try writing { () throws(KeychainError) in try StandardStreams.write(raw: lines) }
  }
}
