import Bytes
import Keychain
import ToolCommands

/// Offers to import logins that a tool kept in files before its set-up, and those of other programs that the tool would
/// otherwise keep asking.
struct LoginOffers {
  /// Whether somebody may be asked.
  let selection: KeychainSelection

  func make(for tool: ToolSetup, _ place: SetupPlace) throws {
    for kind in tool.offers(place) {
      let program = kind == "gcm" ? "Git Credential Manager" : kind
      try offer("Bring in the logins that \(program) has", ["llavero", "import", kind])
    }
    let kinds = KnownTool.all.first { $0.name == tool.name }?.imports ?? []
    for loose in LooseCredentials.find(kinds: kinds) {
      try offer("Move the logins in \(withTilde(loose.path)) into llavero, out of that file", loose.remedy)
    }
  }

  private func offer(_ what: String, _ words: [String]) throws {
    switch selection.confirms("\(what)?") {
    case true?:
      try run(words)
    case false?: return
    case nil:
      let command: Hint = "\(commandOf: words)"
      StandardStreams.say(
        "hint: \(what.prefix(1).lowercased() + what.dropFirst()) with \(terminalText(command.description))")
    }
  }

  /// Runs a command of llavero's in a process of its own: in this one it could become the companion for the Secret
  /// Service, which would begin with the words of this command.
  private func run(_ words: [String]) throws(KeychainError) {
    let arguments = ([try ProgramLinks.program()] + words.dropFirst()).map { CString(copying: $0) }
    let supervised = try SupervisedProgram()
    switch supervised.run(arguments, ProgramEnvironment()) {
    case .ended(.exited(0)): return
    // It has said why.
    case .ended(.exited(let status)): Program.end(status)
    case .ended(let ending):
      throw .failure("'\(words.joined(separator: " "))' \(ending.text)", status: .keychain)
    case .failed(let number):
      throw .failure("cannot run \(words[0]): \(errorText(number))", status: .keychain)
    }
  }
}
