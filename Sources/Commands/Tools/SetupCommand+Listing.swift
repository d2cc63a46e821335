import Bytes
import Keychain
import ToolCommands

extension SetupCommand {
  /// Lists the tools, and what each uses now.
  func list(_ place: SetupPlace) throws(KeychainError) {
    let states = ToolSetup.all.map { ($0, SetupState(of: $0, place), $0.answersBefore(place)) }
    let report = states.map { tool, state, earlier -> JSONObject in
      [
        "tool": tool.name, "program": state.program, "file": state.file, "uses": state.uses,
        "setUp": state.isSetUp, "problem": state.fault, "earlier": Self.problems(earlier),
      ]
    }
    let rows = states.map { tool, state, earlier in
      let reach = tool.reach(place).map { " \($0)" } ?? ""
      let own = "llavero" + (earlier.isEmpty ? reach : ", but see below")
      let source = state.isSetUp ? own : state.fault ?? state.uses ?? "not set up"
      let purpose = tool.purpose.map { " \($0)" } ?? ""
      return [tool.name, state.program == nil ? "no" : "yes", source + purpose]
    }
    try output.write(
      report, or: columns([["TOOL", "HERE", "LOGS IN FROM"]] + rows, wrappedTo: TerminalStyle().width))
    if output.json { return }
    for (_, state, earlier) in states where state.isSetUp {
      Self.say(earlier)
    }
    if states.contains(where: { $0.1.program != nil && !$0.1.isSetUp }) {
      StandardStreams.say("hint: set one up with 'llavero setup TOOL'")
    }
  }
}
