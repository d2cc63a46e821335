import Bytes
import Keychain
import ToolCommands

/// Offers to import logins that a tool kept in files before its set-up, and those of other programs that the tool would
/// otherwise keep asking.
struct LoginOffers {
  /// Whether somebody may be asked.
  let selection: KeychainSelection

  func make(for tool: ToolSetup, _ place: SetupPlace) throws {
    for kind in tool.offers(place) where !isAllThere(kind) {
      let program = kind == "gcm" ? "Git Credential Manager" : kind
      try offer("Bring in the logins that \(program) has", ["llavero", "import", kind])
    }
    let kinds = KnownTool.all.first { $0.name == tool.name }?.imports ?? []
    for loose in LooseCredentials.find(kinds: kinds) {
      try offer("Move the logins in \(withTilde(loose.path)) into llavero, out of that file", loose.remedy)
    }
  }

  /// Whether the keychain is known to have all logins of a kind. Nobody is asked for that, and no other program is run.
  private func isAllThere(_ kind: String) -> Bool {
    guard (try? ImportKind.named(kind))?.hasOthers == false, let program = try? ProgramLinks.program() else {
      return false
    }
    let words = [program, "import", kind, "--dry-run", "--json", "--no-prompt"].map { CString(copying: $0) }
    guard
      let outcome = try? ProgramOutput.read(words, timeout: Self.timeout, limit: 1 << 20, showsErrors: false)
    else { return false }
    switch outcome {
    case .failed: return false
    case .printed(let text):
      var counts: [String: Int] = [:]
      _ = text.withUnsafeBytes { bytes in
        try? JSONReader.members(of: bytes) { (member, value) throws(JSONReader.Malformed) in
          let name = try JSONValue.name(member).description
          if value.kind == .number { counts[name] = try value.integer() }
        }
      }
      let changes = ["added", "replaced", "completed", "kept"].compactMap { counts[$0] }
      return changes == [0, 0, 0, 0] && counts["unchanged"] ?? 0 > 0
    }
  }

  /// In milliseconds.
  private static let timeout = 20_000

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
