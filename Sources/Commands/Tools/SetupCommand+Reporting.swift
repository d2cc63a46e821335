import Bytes
import Keychain
import ToolCommands

extension SetupCommand {
  // MARK: Before

  /// Shows the changes, and asks whether to make them. With `--json` they are in the output that follows.
  func show(_ steps: [SetupPlan.Step], heading: String? = nil) throws(KeychainError) {
    let text: TextForTerminal = heading.map { "\($0):\n" } ?? ""
    let shown = text + self.text(of: steps)
    if !dryRun, !yes { return try confirm(shown) }
    if output.json { return }
    // Standard output is only for completed steps, and for the answer of a rehearsal.
    if dryRun {
      try StandardStreams.write(shown)
    } else {
      try? StandardStreams.write(shown, to: 2)
    }
  }

  private func text(of steps: [SetupPlan.Step]) -> TextForTerminal {
    var text: TextForTerminal = ""
    for step in steps {
      text += TextForTerminal.change(of: step.path, removed: step.removed, added: step.added)
      if !step.noLongerAsked.isEmpty {
        text += "no longer asked: \(step.noLongerAsked.joined(separator: "; "))\n"
      }
    }
    return text
  }

  private func confirm(_ changes: TextForTerminal) throws(KeychainError) {
    try KeychainSelection(mayPrompt: !noPrompt).confirmWriting(
      changes, hint: "see what would change with --dry-run, and write it with --yes")
  }

  // MARK: Afterwards

  func sentence(_ tool: ToolSetup, _ place: SetupPlace) -> String {
    if tool.name == ToolSetup.secretService.name {
      return "the bus starts llavero for the Secret Service now; \(tool.next(place))"
    }
    if let result = tool.result { return "\(result); \(tool.next(place))" }
    let reach = tool.reach(place).map { " \($0)" }
    let isFirst = reach == nil && tool.answersBefore(place).isEmpty
    let state = isFirst ? "logs in from llavero now" : "is set up" + (reach ?? "")
    return "\(tool.name) \(state); \(tool.next(place))"
  }

  /// What a removal has done.
  static func sentence(_ tool: String, _ plan: SetupPlan) -> String {
    if plan.wasHandedOver { return "removed the leftovers of another tool's setup for \(tool)" }
    if plan.formerIsKnown { return "\(tool) has its former configuration back" }
    return "llavero is out of \(tool)'s configuration; its former value is unknown"
  }

  /// Says which logins a tool doesn't have any more, now that it doesn't ask llavero.
  static func sayWhereLoginsAreMissing(_ tool: ToolSetup, _ place: SetupPlace) {
    if let (sentence, remedy) = tool.lack(place) {
      StandardStreams.say("\(sentence)")
      StandardStreams.say("hint: \(remedy)")
    }
    let servers = tool.serversWithoutLogin(place)
    guard let first = servers.first else { return }
    let logins = (servers.count == 1 ? "login" : "logins") + " for " + servers.joined(separator: ", ")
    StandardStreams.say("\(tool.name) had its \(logins) from llavero, and has none of its own")
    let login: TextForTerminal = "\(command: tool.name, "login", first)"
    let get: TextForTerminal = "\(command: "llavero", "get", first, "--domain", tool.name)"
    StandardStreams.say("hint: log in with \(login); \(get) prints what llavero has")
  }

  /// - Throws: ``KeychainError`` with the steps left to the person, if there are any.
  func sayWhatIsLeft(_ plan: SetupPlan) throws(KeychainError) {
    var failures = plan.leftToPerson.map { path, what in
      KeychainError(
        "\(path) is left to you: \(what.reason)", hint: "\(prose: what.instruction)",
        status: .nothingMatched)
    }
    guard let last = failures.popLast() else { return }
    for failure in failures { failure.failure.report() }
    throw last
  }

  func report(
    _ tool: ToolSetup, _ place: SetupPlace, _ plan: SetupPlan, _ sentence: String?
  ) throws(KeychainError) {
    let earlier = remove ? [] : tool.answersBefore(place)
    try output.write(report(tool.name, plan, earlier), or: sentence.map { "\($0)\n" } ?? "")
    if output.json { return }
    Self.say(earlier)
    for (path, sentence) in plan.remains { StandardStreams.say("\(path): \(sentence)") }
  }

  func report(
    _ name: String, _ plan: SetupPlan, _ earlier: [EarlierAnswers.Answer] = []
  ) -> JSONObject {
    let changes = plan.steps.map { step -> JSONObject in
      [
        "path": step.path, "removed": step.removed, "added": step.added,
        "noLongerAsked": step.noLongerAsked.ifAny,
      ]
    }
    let byHand = plan.leftToPerson.map { path, what -> JSONObject in
      ["path": path, "problem": what.reason, "hint": what.instruction]
    }
    let common: JSONObject = [
      "tool": name, "changed": !dryRun && !plan.steps.isEmpty,
      "formerIsKnown": remove ? plan.formerIsKnown : nil, "changes": changes,
    ]
    return common
      + (remove
        ? ["remains": Self.problems(plan.remains.map { ($0.path, $0.sentence) })]
        : ["earlier": Self.problems(earlier), "byHand": byHand.ifAny])
  }

  /// Says what answers before llavero, and of which file, each with what to type on a line of its own.
  static func say(_ earlier: [EarlierAnswers.Answer]) {
    for answer in earlier {
      let file: TextForTerminal = answer.path.map { "\($0): " } ?? ""
      StandardStreams.say(file + "\(answer.sentence)")
      if let remedy = answer.remedy { StandardStreams.say("hint: \(remedy)") }
    }
  }

  static func problems(_ earlier: [EarlierAnswers.Answer]) -> [JSONObject] {
    earlier.map { ["path": $0.path, "problem": $0.sentence, "hint": $0.remedy?.description] }
  }

  static func problems(_ sentences: [(path: String, sentence: String)]) -> [JSONObject] {
    sentences.map { ["path": $0.path, "problem": $0.sentence] }
  }
}

extension TextForTerminal {
  /// The lines of a file that go and that come.
  static func change(of path: String, removed: [String], added: [String]) -> TextForTerminal {
    func visible(_ line: String) -> String { String(line.map { $0 == "\t" ? " " : $0 }) }
    var text: TextForTerminal = "\(path: path):\n"
    for line in removed { text += "  - \(visible(line))\n" }
    for line in added { text += "  + \(visible(line))\n" }
    return text
  }
}

extension KeychainSelection {
  /// Shows a person what changes in configuration files, and asks whether to write it.
  ///
  /// - Throws: ``KeychainError`` if it isn't to be written, or nobody can be asked.
  func confirmWriting(_ changes: TextForTerminal, hint: Hint) throws(KeychainError) {
    guard let isConfirmed = confirms("Write this?", showing: changes) else {
      throw .failure(
        "nobody can be asked whether to change the configuration", hint: hint, status: .usage)
    }
    if !isConfirmed { throw .failure("nothing was written", status: .nothingMatched) }
  }
}
