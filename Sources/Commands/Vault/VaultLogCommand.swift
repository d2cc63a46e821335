import ArgumentParser
import Bytes
import EncryptedFile
import Keychain
import ToolCommands

struct VaultLogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "List the earlier states that are kept, newest first")

  @OptionGroup var dates: DateOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func run() throws(KeychainError) {
    let vault = try keychain.selection.encryptedFile()
    let states = try vault.askingOnce { () throws(KeychainError) in try Self.states(of: vault) }
    // There is nothing left to list.
    if states.count == 1, let problem = states[0].problem, problem.isAbsence { throw problem }
    if states.isEmpty, !output.json { return StandardStreams.say("there is no encrypted file yet") }
    try output.write(states.map(\.report), or: Self.table(states, inUTC: dates.utc))
  }

  struct State {
    let number: Int64?
    let written: Timestamp?
    let size: Int?
    let path: String
    let isCurrent: Bool
    let verified: VerifiedVault?
    let problem: KeychainError?

    var report: JSONObject {
      [
        "generation": number, "written": written, "items": verified?.count, "size": size, "path": path,
        "current": isCurrent, "good": verified != nil, "problem": problem?.message,
      ]
    }
  }

  static func states(of vault: EncryptedFileKeychain) throws(KeychainError) -> [State] {
    var states: [State] = []
    do throws(KeychainError) {
      if let current = try vault.verify() {
        states.append(
          State(
            number: current.generation, written: current.written, size: nil, path: vault.location.vaultFile,
            isCurrent: true, verified: current, problem: nil))
      }
    } catch {
      states.append(
        State(
          number: nil, written: nil, size: nil, path: vault.location.vaultFile, isCurrent: true,
          verified: nil,
          problem: error))
    }
    let lastWrites = states.first?.problem == nil ? [] : try vault.lastWritesOfUnreadable()
    for generation in try lastWrites + vault.generations() {
      var verified: VerifiedVault?
      var problem: KeychainError?
      do throws(KeychainError) {
        verified = try vault.verify(generation)
      } catch {
        problem = error
      }
      states.append(
        State(
          number: generation.number, written: generation.written, size: generation.size,
          path: generation.path,
          isCurrent: false, verified: verified, problem: problem))
    }
    return states
  }

  static func table(_ states: [State], inUTC: Bool) -> TextForTerminal {
    let rows = states.map { (state) -> [String] in
      [
        state.number.map { "\($0)" } ?? "-",
        state.written.map { dateText($0, seconds: true, inUTC: inUTC) } ?? "-",
        state.verified.map { "\($0.count)" } ?? "-",
        remark(on: state),
      ]
    }
    return columns([["WRITE", "WRITTEN", "ITEMS", ""]] + withTilde(rows), wrappedTo: TerminalStyle().width)
  }

  private static func remark(on state: State) -> String {
    let name = state.isCurrent ? "in use" : ""
    guard let problem = state.problem else { return name }
    if case .locked = problem { return name.isEmpty ? "locked" : name + ", locked" }
    return (name.isEmpty ? "" : name + ", ") + "can't be used: " + problem.message
  }
}

extension KeychainError {
  /// Whether a file that used to exist is gone.
  fileprivate var isAbsence: Bool {
    switch self {
    case .missing, .elsewhere: true
    default: false
    }
  }
}
