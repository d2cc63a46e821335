import Bytes
import Keychain
import ToolCommands

extension SetupCommand {
  /// Gives every tool its configuration back.
  func removeAll(_ place: SetupPlace) throws {
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
}
