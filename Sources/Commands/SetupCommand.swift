import ArgumentParser
import JSON
import Keychain
import Processes
import ToolCommands

/// `llavero setup`
struct SetupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup",
    abstract: "Let a tool log in from here, by one line in its own configuration",
    discussion: """
      Without a tool, lists those that can be set up, and what each uses now. With one, shows what will change in its \
      configuration, asks, and keeps the former file beside it with the ending .before-llavero:

        llavero setup
        llavero setup docker
        llavero setup docker --remove     (puts back what was there)

      To do it twice changes nothing. There are \(ToolSetup.all.map(\.name).joined(separator: ", ")).
      """)

  @Argument(help: ArgumentHelp("The tool", valueName: "tool"))
  var tool: String?

  @Flag(help: "Put back what was there before")
  var remove = false

  @Flag(help: "Show what would change, and change nothing")
  var dryRun = false

  @Flag(name: .shortAndLong, help: "Don't ask")
  var yes = false

  @Flag(help: "Ask nobody")
  var noPrompt = false

  @Option(help: ArgumentHelp("For aws: the profile (default: default)", valueName: "name"))
  var profile = "default"

  @OptionGroup var output: OutputOptions

  func validate() throws {
    if tool == nil, remove || dryRun || yes { throw ValidationError("Name the tool.") }
    if profile.contains(where: { "\"]\n\\".contains($0) }) {
      throw ValidationError("That is no name of a profile.")
    }
  }

  func run() throws {
    let place = try SetupPlace(profile: profile)
    guard let name = tool else { return try list(place) }
    guard let tool = ToolSetup.all.first(where: { $0.name == name }) else {
      throw Failure(
        "llavero doesn't know how to set up \(name)",
        hint:
          "it knows \(prose: ToolSetup.all.map(\.name).joined(separator: ", ")); see \(command: "llavero", name, "--help")",
        status: .usage)
    }
    let plan = remove ? try removing(tool, place) : try setting(tool, place)
    if plan.steps.isEmpty {
      return try report(name, plan, remove ? "\(name) isn't set up" : "\(name) is set up already")
    }
    if dryRun {
      show(plan)
      return try report(name, plan, nil)
    }
    if !yes {
      try confirm(plan)
    } else if !output.json {
      show(plan)
    }
    for step in plan.steps { try step.carryOut() }
    try report(
      name, plan, remove ? "\(name) is as it was before" : "\(name) logs in from llavero now; \(tool.next)")
  }

  // MARK: What is to be done

  private struct Plan {
    var steps: [Step] = []
  }

  private struct Step {
    /// The file or link.
    let path: String
    let removed: [String]
    let added: [String]
    let carryOut: () throws(Failure) -> Void
  }

  private func setting(_ tool: ToolSetup, _ place: SetupPlace) throws(Failure) -> Plan {
    var plan = Plan()
    for (file, format) in try tool.settings(place) {
      let before = try file.contents()
      let (after, change) = try understanding(file) { () throws(ConfigurationFault) in
        (try format.setting(in: before ?? []), try format.change(from: before ?? []))
      }
      if after == before { continue }
      plan.steps.append(
        Step(path: file.path, removed: change.removed, added: change.added) { () throws(Failure) in
          try file.replace(before, with: after)
        })
    }
    for (folder, name) in try tool.links(place) {
      // The folder may be yet to be made, and then nothing is in the way.
      let target = try ProgramLinks.program(for: name)
      let path = "\(folder)/\(name)"
      if ProgramLinks.realPath(path) == target { continue }
      if ProgramLinks.realPath(folder) != nil { _ = try ProgramLinks.plan([name], in: folder) }
      plan.steps.append(
        Step(path: path, removed: [], added: ["link to \(target)"]) { () throws(Failure) in
          try ConfigurationFile(path: path).makeFolder()
          for link in try ProgramLinks.plan([name], in: folder) { try ProgramLinks.make(link) }
        })
    }
    return plan
  }

  private func removing(_ tool: ToolSetup, _ place: SetupPlace) throws(Failure) -> Plan {
    var plan = Plan()
    for (file, format) in try tool.settings(place) {
      guard let present = try file.contents() else { continue }
      let backup = try file.backup()
      let (former, change) = try understanding(file) { () throws(ConfigurationFault) in
        // What is not as llavero would write it was set up by somebody else, or not at all.
        guard try format.setting(in: present) == present else {
          return ([UInt8]?.none, ([String](), [String]()))
        }
        return (
          try format.unsetting(in: present, before: backup ?? []), try format.change(from: backup ?? [])
        )
      }
      guard let former else {
        if try isSetUp(file, format, present) {
          throw Failure(
            "\(file.path) was set up otherwise, or has changed too much since", hint: "change it by hand",
            status: .keychain)
        }
        continue
      }
      if former == present { continue }
      plan.steps.append(
        Step(path: file.path, removed: change.1, added: change.0) { () throws(Failure) in
          try file.restore(present, to: backup == nil && former.isEmpty ? nil : former)
        })
    }
    for (folder, name) in try tool.links(place) {
      let path = "\(folder)/\(name)"
      guard ProgramLinks.isOwn(path) else { continue }
      plan.steps.append(
        Step(path: path, removed: ["link to llavero"], added: []) { () throws(Failure) in
          _ = try ProgramLinks.remove(path)
        })
    }
    return plan
  }

  private func isSetUp(
    _ file: ConfigurationFile, _ format: any ConfigurationFormat, _ text: [UInt8]
  ) throws(Failure) -> Bool {
    try understanding(file) { () throws(ConfigurationFault) in try format.setting(in: text) == text }
  }

  private func understanding<Result>(
    _ file: ConfigurationFile, _ body: () throws(ConfigurationFault) -> Result
  ) throws(Failure) -> Result {
    do throws(ConfigurationFault) {
      return try body()
    } catch {
      throw Failure(
        "\(file.path) can't be changed: \(error.reason)",
        hint: "change it by hand; see the tool's manual page",
        status: .keychain)
    }
  }

  // MARK: Telling

  private func show(_ plan: Plan) {
    // Standard output is for what was done.
    _ = try? StandardStreams.write(text(of: plan), to: 2)
  }

  private func text(of plan: Plan) -> TextForTerminal {
    var text: TextForTerminal = ""
    for step in plan.steps {
      text += "\(step.path):\n"
      for line in step.removed { text += "  - \(visible(line))\n" }
      for line in step.added { text += "  + \(visible(line))\n" }
    }
    return text
  }

  private func visible(_ line: String) -> String {
    String(line.map { $0 == "\t" ? " " : $0 })
  }

  private func confirm(_ plan: Plan) throws(Failure) {
    let selection = KeychainSelection(mayPrompt: !noPrompt)
    guard let isConfirmed = selection.confirms("Write this?", showing: text(of: plan)) else {
      throw Failure(
        "nobody can be asked whether to change the configuration",
        hint: "see what would change with --dry-run, and write it with --yes", status: .usage)
    }
    if !isConfirmed { throw Failure("nothing was written", status: .nothingMatched) }
  }

  private func report(_ name: String, _ plan: Plan, _ sentence: String?) throws(Failure) {
    if !output.json {
      if let sentence { try StandardStreams.write("\(sentence)\n" as TextForTerminal) }
      return
    }
    var json = JSONWriter()
    json.beginObject()
    json.member("tool", ByteString(name))
    json.member("changed", !dryRun && !plan.steps.isEmpty)
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
    json.endObject()
    try StandardStreams.write(json.finishLine())
  }

  private func list(_ place: SetupPlace) throws(Failure) {
    let states = ToolSetup.all.map { ($0, SetupState(of: $0, place)) }
    if output.json {
      var json = JSONWriter()
      json.beginArray()
      for (tool, state) in states {
        json.beginObject()
        json.member("tool", ByteString(tool.name))
        json.member("program", state.program.map { ByteString($0) })
        json.member("file", ByteString(state.file))
        json.member("uses", state.uses.map { ByteString($0) })
        json.member("setUp", state.isSetUp)
        json.member("problem", state.fault.map { ByteString($0) })
        json.endObject()
      }
      json.endArray()
      return try StandardStreams.write(json.finishLine())
    }
    var rows = [["TOOL", "HERE", "LOGS IN FROM"]]
    for (tool, state) in states {
      let source = state.isSetUp ? "llavero" : state.fault ?? state.uses ?? "nothing of its configuration"
      rows.append([tool.name, state.program == nil ? "no" : "yes", source])
    }
    try StandardStreams.write(columns(rows))
    if states.contains(where: { $0.1.program != nil && !$0.1.isSetUp }) {
      StandardStreams.say("hint: set one up with 'llavero setup TOOL'")
    }
  }
}
