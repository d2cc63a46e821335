import ArgumentParser
import Bytes
import Keychain
import Terminals
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

  @Argument(help: ArgumentHelp("The tool", valueName: "tool"))
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

  @Option(
    help: ArgumentHelp("For pnpm: the registry, such as npm.example or npm.example/acme", valueName: "host"))
  var registry: String?

  @Option(
    help: ArgumentHelp("For kubectl: the user (default: that of the current context)", valueName: "name"))
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
    if replace, tool != "secret-service" { throw ValidationError("--replace goes with secret-service.") }
    if user?.isEmpty ?? false { throw ValidationError("That is not the name of a user.") }
    if user != nil, tool != "kubectl" { throw ValidationError("--user goes with kubectl.") }
    if registry != nil, tool != "pnpm" { throw ValidationError("--registry goes with pnpm.") }
    if let registry, !Self.isRegistry(registry) {
      throw ValidationError("'\(registry)' is no registry: write it as HOST, HOST:PORT or HOST/PATH.")
    }
    if !host.isEmpty, tool != "bazel" { throw ValidationError("--host goes with bazel.") }
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

  /// The companion knows the bus, and will serve. When that is taken away without it, the bus finds out at its next
  /// start.
  func companionNeed() throws(KeychainError) -> CompanionNeed {
    if all || tool != ToolSetup.secretService.name { return .none }
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
      throw KeychainError(
        "llavero doesn't know how to set up \(name)",
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
    if dryRun {
      try showAnswer(plan.steps)
      try report(tool, place, plan, nil)
      return try sayWhatIsLeft(plan)
    }
    if !yes {
      try confirm(plan.steps)
    } else if !output.json {
      show(plan.steps)
    }
    try plan.carryOut()
    if isService { Program.secretService?.rereadActivation() }
    if !plan.leftToPerson.isEmpty {
      try report(tool, place, plan, "\(tool.name) is set up in part")
      return try sayWhatIsLeft(plan)
    }
    try report(
      tool, place, plan,
      remove
        ? plan.wasHandedOver
          ? Self.tookHandedOver(tool.name)
          : plan.formerIsKnown
            ? "\(tool.name) has its former configuration back" : Self.isOut(tool.name)
        : isService
          ? "the bus starts llavero for the Secret Service now; \(tool.next(place))"
          : "\(tool.name) \(tool.answersBefore(place).isEmpty ? "logs in from llavero now" : "is set up"); \(tool.next(place))"
    )
    try offer(tool, place)
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
      try offer("the logins that \(kind) has", ["llavero", "import", kind])
    }
    let kinds = KnownTool.all.first { $0.name == tool.name }?.imports ?? []
    for loose in LooseCredentials.find(kinds: kinds) {
      try offer("the logins in \(loose.path)", loose.remedy)
    }
  }

  private func offer(_ what: String, _ words: [String]) throws {
    let selection = KeychainSelection(mayPrompt: !noPrompt && !yes)
    switch selection.confirms("Bring in \(what)?") {
    case true?:
      let importing = try ImportCommand.parse(Array(words.dropFirst(2)))
      try importing.run()
    case false?: return
    case nil:
      let command: Hint = "\(commandOf: words)"
      StandardStreams.say("hint: bring in \(what) with \(terminalText(command.description))")
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

  private static func isOut(_ tools: String) -> String {
    "llavero is out of \(tools)'s configuration; its former value is unknown"
  }

  private static func tookHandedOver(_ tool: String) -> String {
    "removed the leftovers of another tool's setup for \(tool)"
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
    if dryRun {
      try showAnswer(steps)
    } else if !steps.isEmpty {
      if !yes { try confirm(steps) } else if !output.json { show(steps) }
    }
    var done: [(tool: String, plan: SetupPlan)] = []
    for (tool, part, plan) in plans {
      do throws(KeychainError) {
        // By now another profile's lines may have moved, and another tool may have been left as it is.
        let plan = dryRun ? plan : try SetupPlan.removing(tool, place.with(part: part))
        if !dryRun { try plan.carryOut() }
        if !plan.steps.isEmpty { done.append((tool.name, plan)) }
      } catch {
        failures.append((tool.name, error))
      }
    }
    if !dryRun { done += removeHandedOver(place, &failures) }
    try reportAll(done, failures)
    if !failures.isEmpty {
      throw KeychainError(
        "\(countText(failures.count, "tool")) couldn't have \(failures.count == 1 ? "its" : "their") configuration back",
        hint: "change it by hand, as said above, and try again", status: .keychain)
    }
  }

  /// Removes links and files that were handed over to tools that never were set up.
  private func removeHandedOver(
    _ place: SetupPlace, _ failures: inout [(tool: String, failure: KeychainError)]
  ) -> [(tool: String, plan: SetupPlan)] {
    var done: [(tool: String, plan: SetupPlan)] = []
    for tool in ToolSetup.all where (try? SetupRecord.read(tool.name).isHandedOver) == true {
      do throws(KeychainError) {
        let plan = try SetupPlan.removing(tool, place)
        try plan.carryOut()
        if !plan.steps.isEmpty { done.append((tool.name, plan)) }
      } catch {
        failures.append((tool.name, error))
      }
    }
    return done
  }

  private func reportAll(
    _ done: [(tool: String, plan: SetupPlan)], _ failures: [(tool: String, failure: KeychainError)]
  ) throws(KeychainError) {
    if output.json {
      var json = JSONWriter()
      json.beginArray()
      for (tool, plan) in done { write(tool, plan, to: &json) }
      for (tool, error) in failures {
        let failure = error.failure
        json.beginObject()
        json.member("tool", ByteString(tool))
        json.member("changed", false)
        json.member("problem", ByteString(failure.message))
        json.member("hint", failure.hint.map { ByteString($0.description) })
        json.endObject()
      }
      json.endArray()
      return try StandardStreams.write(json.finishLine())
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
    for (tool, plan) in done where !plan.formerIsKnown { try StandardStreams.write("\(Self.isOut(tool))\n") }
    for (tool, plan) in done where plan.wasHandedOver {
      try StandardStreams.write("\(Self.tookHandedOver(tool))\n")
    }
    // The remains of one tool may have gone with the next.
    for (path, sentence) in done.flatMap(\.plan.remains) where ProgramLinks.isThere(path) {
      StandardStreams.say("\(path): \(sentence)")
    }
  }

  // MARK: Reporting

  private func show(_ steps: [SetupPlan.Step]) {
    // Standard output is only for completed steps.
    _ = try? StandardStreams.write(text(of: steps), to: 2)
  }

  /// Prints the changes, as the answer of a rehearsal; with `--json` they are in the output that follows.
  private func showAnswer(_ steps: [SetupPlan.Step]) throws(KeychainError) {
    if !output.json { try StandardStreams.write(text(of: steps)) }
  }

  private func text(of steps: [SetupPlan.Step]) -> TextForTerminal {
    var text: TextForTerminal = ""
    for step in steps {
      text += "\(step.path):\n"
      for line in step.removed { text += "  - \(visible(line))\n" }
      for line in step.added { text += "  + \(visible(line))\n" }
    }
    return text
  }

  private func visible(_ line: String) -> String {
    String(line.map { $0 == "\t" ? " " : $0 })
  }

  private func confirm(_ steps: [SetupPlan.Step]) throws(KeychainError) {
    let selection = KeychainSelection(mayPrompt: !noPrompt)
    guard let isConfirmed = selection.confirms("Write this?", showing: text(of: steps)) else {
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
    if !output.json {
      if let sentence { try StandardStreams.write("\(sentence)\n" as TextForTerminal) }
      for (path, sentence) in earlier + plan.remains { StandardStreams.say("\(path): \(sentence)") }
      return
    }
    var json = JSONWriter()
    write(tool.name, plan, earlier, to: &json)
    try StandardStreams.write(json.finishLine())
  }

  private func write(
    _ name: String, _ plan: SetupPlan, _ earlier: [(path: String, sentence: String)] = [],
    to json: inout JSONWriter
  ) {
    json.beginObject()
    json.member("tool", ByteString(name))
    json.member("changed", !dryRun && !plan.steps.isEmpty)
    if remove { json.member("formerIsKnown", plan.formerIsKnown) }
    json.beginArray("changes")
    for step in plan.steps {
      json.beginObject()
      json.member("path", ByteString(step.path))
      json.beginArray("removed")
      for line in step.removed { json.element(ByteString(line)) }
      json.endArray()
      json.beginArray("added")
      for line in step.added { json.element(ByteString(line)) }
      json.endArray()
      json.endObject()
    }
    json.endArray()
    if remove {
      Self.write(plan.remains, as: "remains", to: &json)
    } else {
      Self.write(earlier, to: &json)
      if !plan.leftToPerson.isEmpty {
        json.beginArray("byHand")
        for (path, what) in plan.leftToPerson {
          json.beginObject()
          json.member("path", ByteString(path))
          json.member("problem", ByteString(what.reason))
          json.member("hint", ByteString(what.instruction))
          json.endObject()
        }
        json.endArray()
      }
    }
    json.endObject()
  }

  /// Writes a JSON member, an array of paths with a sentence each.
  private static func write(
    _ sentences: [(path: String, sentence: String)], as name: StaticString = "earlier",
    to json: inout JSONWriter
  ) {
    json.beginArray(name)
    for (path, sentence) in sentences {
      json.beginObject()
      json.member("path", ByteString(path))
      json.member("problem", ByteString(sentence))
      json.endObject()
    }
    json.endArray()
  }

  private func list(_ place: SetupPlace) throws(KeychainError) {
    let states = ToolSetup.all.map { ($0, SetupState(of: $0, place), $0.answersBefore(place)) }
    if output.json {
      var json = JSONWriter()
      json.beginArray()
      for (tool, state, earlier) in states {
        json.beginObject()
        json.member("tool", ByteString(tool.name))
        json.member("program", state.program.map { ByteString($0) })
        json.member("file", ByteString(state.file))
        json.member("uses", state.uses.map { ByteString($0) })
        json.member("setUp", state.isSetUp)
        json.member("problem", state.fault.map { ByteString($0) })
        Self.write(earlier, to: &json)
        json.endObject()
      }
      json.endArray()
      return try StandardStreams.write(json.finishLine())
    }
    var rows = [["TOOL", "HERE", "LOGS IN FROM"]]
    for (tool, state, earlier) in states {
      let own = earlier.isEmpty ? "llavero" : "llavero, but see 'llavero doctor'"
      let source = state.isSetUp ? own : state.fault ?? state.uses ?? "not set up"
      rows.append([tool.name, state.program == nil ? "no" : "yes", source])
    }
    try StandardStreams.write(columns(rows))
    if states.contains(where: { $0.1.program != nil && !$0.1.isSetUp }) {
      StandardStreams.say("hint: set one up with 'llavero setup TOOL'")
    }
  }
}
