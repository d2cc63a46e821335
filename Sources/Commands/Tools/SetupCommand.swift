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
      if ToolRecipe.named(name) != nil {
        throw KeychainError(
          "llavero has nothing to set up for \(name)", hint: Self.hint(for: name), status: .usage)
      }
      let isKnown = ImportKind.meant(by: name) != nil
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
      return try offerLogins(of: tool, place)
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
    try offerLogins(of: tool, place)
  }

  private func offerLogins(of tool: ToolSetup, _ place: SetupPlace) throws {
    if remove || dryRun || output.json { return }
    try LoginOffers(selection: selection).make(for: tool, place)
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
    if let kind = ImportKind.meant(by: name) {
      let topic = HelpTopic.about(name) ?? "import"
      return
        "\(command: "llavero", "import", kind) takes over its logins; see \(command: "llavero", "help", topic)"
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
}
