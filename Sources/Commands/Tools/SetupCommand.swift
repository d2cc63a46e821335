import ArgumentParser
import Bytes
import Keychain
import ToolCommands

struct SetupCommand: UsingCompanion {
  static let configuration = CommandConfiguration(
    commandName: "setup",
    abstract: "Configure a tool to log in with llavero",
    discussion: """
      Without a tool, lists the tools that can be set up, and what each uses now. With a tool, shows what will change \
      in its configuration, and asks you:

        llavero setup
        llavero setup docker
        llavero setup bazel --host 'packages.example.com'
        llavero setup kubectl --user prod
        llavero setup docker --remove     (gives docker its configuration back)
        llavero setup --remove --all      (the same for every tool)

      If a tool is set up already, nothing changes. llavero keeps a record of what it changed, but no copy of the \
      file. The tools are \(ToolSetup.all.map(\.name).joined(separator: ", ")).

      'llavero setup secret-service' makes the message bus start 'llavero serve' for programs that keep secrets in the \
      Secret Service, where no keyring does.
      """)

  @Argument("The tool", value: "tool")
  var tool: String?

  @Flag(help: "Give the tool its configuration back")
  var remove = false

  @Flag(help: "With --remove: every tool")
  var all = false

  @Flag(help: "For secret-service: even though another program provides it")
  var replace = false

  @Flag(help: "For secret-service: log what programs do; see 'llavero serve log'")
  var log = false

  @Flag(help: "For secret-service: ask about each program that wants an item which it hasn't stored")
  var ask = false

  @Flag(help: "Show what would change, and change nothing")
  var dryRun = false

  @Flag(name: .shortAndLong, help: "Don't ask")
  var yes = false

  @Flag(help: "Ask nobody")
  var noPrompt = false

  @Option(help: ArgumentHelp("For aws: the profile", valueName: "name"))
  var profile = "default"

  @Option("For pnpm: the registry, such as npm.example or npm.example/acme", value: "host")
  var registry: String?

  @Option("For kubectl: the user (default: that of the current context)", value: "name")
  var user: String?

  @Option(
    help: ArgumentHelp(
      "For bazel: a host that it may ask about, or *.DOMAIN for all below it (repeatable)",
      valueName: "host"))
  var host: [String] = []

  @OptionGroup var output: OutputOptions

  func validate() throws {
    if all, tool != nil || !remove { throw ValidationError("--all goes with --remove, and names no tool.") }
    if tool == nil, !all, remove || dryRun || yes { throw ValidationError("Name the tool.") }
    // Some SDKs have a shell run the line with the profile.
    if profile.isEmpty || !SetupPlace.isQuotable(profile) || profile.contains(where: { "'[]".contains($0) })
      || profile.first == " " || profile.last == " "
    {
      throw ValidationError("That is not the name of a profile.")
    }
    if user?.isEmpty ?? false { throw ValidationError("That is not the name of a user.") }
    let owners = [
      ("replace", replace, "secret-service"), ("user", user != nil, "kubectl"),
      ("registry", registry != nil, "pnpm"), ("host", !host.isEmpty, "bazel"),
    ]
    for (option, isGiven, owner) in owners where isGiven && tool != owner {
      throw ValidationError("--\(option) goes with \(owner).")
    }
    if let registry, !Self.isRegistry(registry) {
      throw ValidationError("'\(registry)' is no registry: write it as HOST, HOST:PORT or HOST/PATH.")
    }
    for host in host where !Self.isHost(host) {
      throw ValidationError("'\(host)' is neither a host's name nor one that begins with '*.'.")
    }
  }

  /// Whether a text is a DNS name, whose first part may be an asterisk.
  private static func isHost(_ host: String) -> Bool {
    let parts = (host.hasPrefix("*.") ? host.dropFirst(2) : host[...]).split(
      separator: ".", omittingEmptySubsequences: false)
    return parts.allSatisfy { part in
      !part.isEmpty && part.first != "-"
        && part.utf8.allSatisfy { $0.isLetterOrDigit || "-_".utf8.contains($0) }
    }
  }

  /// Whether a text is a host, perhaps with a port and a path, that pnpm takes in the name of a setting and in a path.
  private static func isRegistry(_ text: String) -> Bool {
    let isPlain = text.utf8.allSatisfy { $0.isLetterOrDigit || "._-@:/".utf8.contains($0) }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    return isPlain && parts.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") }
  }

  /// Of what is offered after the set-up.
  private var selection: KeychainSelection { KeychainSelection(mayPrompt: !noPrompt && !yes) }

  /// The companion knows the bus, and will serve. When that is taken away without it, the bus finds out at its next
  /// start. Where somebody may bring in logins afterwards, it has to be there before: it begins the command anew.
  func companionNeed() throws(KeychainError) -> CompanionNeed {
    if all { return .none }
    if tool != ToolSetup.secretService.name {
      return tool != nil && !remove && !dryRun && selection.mayAskPerson ? .wanted : .none
    }
    _ = try place()
    return remove ? .wanted : .required
  }

  private func place() throws(KeychainError) -> SetupPlace {
    try SetupPlace(
      part: user ?? registry ?? (tool == "aws" ? profile : nil), hosts: host.map { $0.lowercased() },
      serveOptions: (log ? ["--log"] : []) + (ask ? ["--ask"] : []), mayRunPrograms: true)
  }

  func run() throws {
    let place = try place()
    if all { return try removeAll(place) }
    guard let name = tool else { return try list(place) }
    guard let tool = ToolSetup.named(name) else {
      let isKnown = ToolRecipe.named(name) != nil
      let similar =
        isKnown ? nil : ToolSetup.names.map(\.name).closest(to: name).map { "; did you mean '\($0)'?" }
      throw KeychainError(
        "llavero doesn't know how to set up \(name)\(similar ?? "")",
        hint: Self.hint(for: name), status: .usage)
    }
    if !remove { try refuseUnclear(tool, place) }
    let isService = tool.name == ToolSetup.secretService.name
    if !isService, log || ask {
      throw KeychainError("--log and --ask are for secret-service", status: .usage)
    }
    if isService, !remove {
      try BusActivation.refuseOtherHome(place)
      if !replace { try BusActivation.refuseAnother(place) }
    }
    let plan = remove ? try SetupPlan.removing(tool, place) : try SetupPlan.setting(tool, place)
    if plan.steps.isEmpty {
      if !dryRun, !plan.isEmpty { try plan.carryOut() }
      let isLeft = !plan.leftToPerson.isEmpty
      try report(
        tool, place, plan,
        remove ? try isNotSetUp(tool, place) : isLeft ? nil : "\(tool.name) is set up already")
      try sayWhatIsLeft(plan)
      return try offer(tool, place)
    }
    try show(plan.steps, heading: remove ? nil : tool.together)
    if dryRun {
      try report(tool, place, plan, nil)
      return try sayWhatIsLeft(plan)
    }
    try plan.carryOut()
    if isService { Program.secretService?.rereadActivation() }
    if !plan.leftToPerson.isEmpty {
      try report(tool, place, plan, "\(tool.name) is set up in part")
      return try sayWhatIsLeft(plan)
    }
    try report(tool, place, plan, remove ? Self.sentence(tool.name, plan) : sentence(tool, place))
    if remove, !output.json { Self.sayWhereLoginsAreMissing(tool, place) }
    try offer(tool, place)
  }

  private func sentence(_ tool: ToolSetup, _ place: SetupPlace) -> String {
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
  private static func sentence(_ tool: String, _ plan: SetupPlan) -> String {
    if plan.wasHandedOver { return "removed the leftovers of another tool's setup for \(tool)" }
    if plan.formerIsKnown { return "\(tool) has its former configuration back" }
    return "llavero is out of \(tool)'s configuration; its former value is unknown"
  }

  /// Says for which servers a tool has no login any more, now that it doesn't ask llavero.
  private static func sayWhereLoginsAreMissing(_ tool: ToolSetup, _ place: SetupPlace) {
    let servers = tool.serversWithoutLogin(place)
    guard let first = servers.first else { return }
    let logins = (servers.count == 1 ? "login" : "logins") + " for " + servers.joined(separator: ", ")
    StandardStreams.say("\(tool.name) had its \(logins) from llavero, and has none of its own")
    let login: TextForTerminal = "\(command: tool.name, "login", first)"
    let get: TextForTerminal = "\(command: "llavero", "get", first, "--domain", tool.name)"
    StandardStreams.say("hint: log in with \(login); \(get) prints what llavero has")
  }

  /// - Throws: ``KeychainError`` with the steps left to the person, if there are any.
  private func sayWhatIsLeft(_ plan: SetupPlan) throws(KeychainError) {
    var failures = plan.leftToPerson.map { path, what in
      KeychainError(
        "\(path) is left to you: \(what.reason)", hint: "\(prose: what.instruction)",
        status: .nothingMatched)
    }
    guard let last = failures.popLast() else { return }
    for failure in failures { failure.failure.report() }
    throw last
  }

  /// Offers to import logins that the tool kept in files before, and those of other programs that the tool would
  /// otherwise keep asking.
  private func offer(_ tool: ToolSetup, _ place: SetupPlace) throws {
    if remove || dryRun || output.json { return }
    for kind in tool.offers(place) {
      try offer("Bring in the logins that \(kind) has", ["llavero", "import", kind])
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

  /// The answer if there is nothing to remove. It names other parts of the tool that are set up, such as profiles of
  /// aws.
  private func isNotSetUp(_ tool: ToolSetup, _ place: SetupPlace) throws(KeychainError) -> String {
    let others = try tool.recordedParts()
    guard let parts = tool.parts, !others.isEmpty else { return "\(tool.name) isn't set up" }
    let part = place.part(parts).map { "the \(parts.name) \($0)" } ?? "no \(parts.name)"
    return "\(part) of \(tool.name) isn't set up, but \(others.joined(separator: ", ")) "
      + (others.count == 1 ? "is" : "are")
  }

  /// What to do about a tool that can't be set up: some are set up by hand, and others are unknown to llavero.
  private static func hint(for name: String) -> Hint {
    if let recipe = ToolRecipe.named(name) {
      return "\(command: "llavero", "help", recipe.name) shows what to type"
    }
    let names = ToolSetup.all.map(\.name).joined(separator: ", ")
    return "it knows \(prose: names); any other program gets its secrets from \(command: "llavero", "run")"
  }

  /// - Throws: ``KeychainError`` if the target is unclear, and nothing is set up yet.
  private func refuseUnclear(_ tool: ToolSetup, _ place: SetupPlace) throws(KeychainError) {
    guard let failure = tool.isUnclear(place), case let state = SetupState(of: tool, place), !state.isSetUp,
      state.strays.isEmpty
    else { return }
    throw failure
  }

  // MARK: Every tool

  private func removeAll(_ place: SetupPlace) throws {
    var plans: [(tool: ToolSetup, part: String?, plan: SetupPlan)] = []
    var failures: [(tool: String, failure: KeychainError)] = []
    for tool in ToolSetup.all + [.secretService] {
      do throws(KeychainError) {
        let usual = place.part(of: tool)
        for part in try [usual] + tool.recordedParts().filter({ $0 != usual }) {
          let plan = try SetupPlan.removing(tool, place.with(part: part), staying: [])
          if !plan.isEmpty { plans.append((tool, part, plan)) }
        }
      } catch {
        // A configuration that llavero never changed may be broken in any way.
        let isSetUp = ((try? SetupRecord.read(tool.name).isEmpty) ?? false) == false
        if isSetUp || SetupState(of: tool, place.forRemoving).isSetUp { failures.append((tool.name, error)) }
      }
    }
    let steps = plans.flatMap(\.plan.steps)
    if dryRun || !steps.isEmpty { try show(steps) }
    var done: [(tool: String, plan: SetupPlan)] = []
    func remove(_ tool: ToolSetup, _ place: SetupPlace) {
      do throws(KeychainError) {
        let plan = try SetupPlan.removing(tool, place)
        try plan.carryOut()
        if !plan.steps.isEmpty { done.append((tool.name, plan)) }
      } catch {
        failures.append((tool.name, error))
      }
    }
    if dryRun {
      done = plans.map { ($0.tool.name, $0.plan) }.filter { !$0.1.steps.isEmpty }
    } else {
      // By now another profile's lines may have moved, and another tool may have been left as it is.
      for (tool, part, _) in plans { remove(tool, place.with(part: part)) }
      // Links and files that were handed over to tools that never were set up.
      for tool in ToolSetup.all where (try? SetupRecord.read(tool.name).isHandedOver) == true {
        remove(tool, place)
      }
    }
    try reportAll(done, failures)
    if !dryRun, !output.json {
      for (name, _) in done { ToolSetup.named(name).map { Self.sayWhereLoginsAreMissing($0, place) } }
    }
    if !failures.isEmpty {
      throw KeychainError(
        "\(countText(failures.count, "tool")) couldn't have \(failures.count == 1 ? "its" : "their") configuration back",
        hint: "change it by hand, as said above, and try again", status: .keychain)
    }
  }

  private func reportAll(
    _ done: [(tool: String, plan: SetupPlan)], _ failures: [(tool: String, failure: KeychainError)]
  ) throws(KeychainError) {
    if output.json {
      let failed = failures.map { tool, error -> JSONObject in
        let failure = error.failure
        return [
          "tool": tool, "changed": false, "problem": failure.message, "hint": failure.hint?.description,
        ]
      }
      return try output.write(done.map { report($0.tool, $0.plan) } + failed)
    }
    for (_, failure) in failures { failure.failure.report() }
    if done.isEmpty, failures.isEmpty { try StandardStreams.write("no tool is set up\n") }
    if dryRun { return }
    let names = done.filter { $0.plan.formerIsKnown && !$0.plan.wasHandedOver }.map(\.tool).reduce(
      into: [String]()
    ) {
      if !$0.contains($1) { $0.append($1) }
    }
    if !names.isEmpty {
      try StandardStreams.write("gave back the configuration of \(names.joined(separator: ", "))\n")
    }
    let others = done.filter { !$0.plan.formerIsKnown } + done.filter(\.plan.wasHandedOver)
    for (tool, plan) in others { try StandardStreams.write("\(Self.sentence(tool, plan))\n") }
    // The remains of one tool may have gone with the next.
    for (path, sentence) in done.flatMap(\.plan.remains) where ProgramLinks.isThere(path) {
      StandardStreams.say("\(path): \(sentence)")
    }
  }

  // MARK: Reporting

  /// Shows the changes, and asks whether to make them. With `--json` they are in the output that follows.
  private func show(_ steps: [SetupPlan.Step], heading: String? = nil) throws(KeychainError) {
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
      text += "\(path: step.path):\n"
      for line in step.removed { text += "  - \(visible(line))\n" }
      for line in step.added { text += "  + \(visible(line))\n" }
      if !step.noLongerAsked.isEmpty {
        text += "no longer asked: \(step.noLongerAsked.joined(separator: "; "))\n"
      }
    }
    return text
  }

  private func visible(_ line: String) -> String {
    String(line.map { $0 == "\t" ? " " : $0 })
  }

  private func confirm(_ changes: TextForTerminal) throws(KeychainError) {
    let selection = KeychainSelection(mayPrompt: !noPrompt)
    guard let isConfirmed = selection.confirms("Write this?", showing: changes) else {
      throw .failure(
        "nobody can be asked whether to change the configuration",
        hint: "see what would change with --dry-run, and write it with --yes", status: .usage)
    }
    if !isConfirmed { throw .failure("nothing was written", status: .nothingMatched) }
  }

  private func report(
    _ tool: ToolSetup, _ place: SetupPlace, _ plan: SetupPlan, _ sentence: String?
  ) throws(KeychainError) {
    let earlier = remove ? [] : tool.answersBefore(place)
    try output.write(report(tool.name, plan, earlier), or: sentence.map { "\($0)\n" } ?? "")
    if output.json { return }
    for (path, sentence) in earlier + plan.remains { StandardStreams.say("\(path): \(sentence)") }
  }

  private func report(
    _ name: String, _ plan: SetupPlan, _ earlier: [(path: String, sentence: String)] = []
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
        ? ["remains": Self.problems(plan.remains)]
        : ["earlier": Self.problems(earlier), "byHand": byHand.ifAny])
  }

  private static func problems(_ sentences: [(path: String, sentence: String)]) -> [JSONObject] {
    sentences.map { ["path": $0.path, "problem": $0.sentence] }
  }

  private func list(_ place: SetupPlace) throws(KeychainError) {
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
      return [tool.name, state.program == nil ? "no" : "yes", source]
    }
    try output.write(
      report, or: columns([["TOOL", "HERE", "LOGS IN FROM"]] + rows, wrappedTo: TerminalStyle().width))
    if output.json { return }
    for (_, state, earlier) in states where state.isSetUp {
      for (path, sentence) in earlier { StandardStreams.say("\(path): \(sentence)") }
    }
    if states.contains(where: { $0.1.program != nil && !$0.1.isSetUp }) {
      StandardStreams.say("hint: set one up with 'llavero setup TOOL'")
    }
  }
}
