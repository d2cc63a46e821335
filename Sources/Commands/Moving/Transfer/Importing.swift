import Interchange
import Keychain
import KeychainChoice
import Terminals
import ToolCommands

/// Brings the logins of sources into a keychain, and reports the result.
struct Importing {
  private let open: OpenKeychain
  private let sources: [any ImportSource]
  private let comparesNotes: Bool
  private let mayAsk: Bool
  private let policy: ConflictPolicy?
  /// Whether it is a failure if something can't come.
  private let mustBeWhole: Bool

  /// The number of items sent to a desktop service at once.
  private static let batch = 50

  /// - Parameters:
  ///   - comparesNotes: whether an item with the same secret but another label, comment or the like is a different one.
  ///   - policy: what to do if the keychain has another secret; `nil` asks if possible.
  ///   - mustBeWhole: whether it is a failure if something can't come.
  init(
    into open: OpenKeychain, from sources: [any ImportSource], comparesNotes: Bool, mayAsk: Bool,
    policy: ConflictPolicy?, mustBeWhole: Bool = false
  ) {
    self.open = open
    self.sources = sources
    self.comparesNotes = comparesNotes
    self.mayAsk = mayAsk
    self.policy = policy
    self.mustBeWhole = mustBeWhole
  }

  /// Imports the logins, or says what it would import.
  ///
  /// - Parameters:
  ///   - what: the word shown beside the progress bar, such as `importing`.
  ///   - beforeRemoving: does what else has to be done before anything is removed from a source.
  /// - Throws: ``Failure``, with ``Status/nothingMatched`` if there is nothing to import, or if something differs and
  ///   nobody says what to do about it. Nothing has changed then.
  func run(
    what: String, isRehearsal: Bool, removesSource: Bool, isJSON: Bool,
    beforeRemoving: () throws(Failure) -> Void = {}
  ) throws(Failure) {
    let bar = ProgressBar(what)
    var found: [FoundLogins] = []
    for source in sources {
      found.append(try source.read { bar.show($0, of: $1) })
      bar.clear()
    }
    let keychain = open.own
    let plan = try explaining(
      TransferPlan(found.flatMap(\.logins), in: keychain, comparesNotes: comparesNotes))
    if isRehearsal {
      let replaced = policy == .replace ? Set(plan.conflicts) : []
      let foreseen = Transfer(plan: plan, replacing: replaced).foreseen
      let report = report(found, foreseen, isRehearsal: true)
      if isJSON { return try StandardStreams.write(report.json(isRemoved: false)) }
      try StandardStreams.write(report.table() + report.summary())
      return say(report.remarks())
    }
    if plan.logins.isEmpty {
      let report = report(found, [], isRehearsal: false)
      say(report.remarks())
      try refuseParts(report)
      throw Failure(
        "there are no logins in \(sources.map(\.name).joined(separator: " and "))", status: .nothingMatched)
    }
    let transfer = Transfer(
      plan: plan, replacing: try ConflictPolicy.replaced(in: plan, policy, mayAsk: mayAsk))
    let outcomes = try explaining(
      transfer.run(in: keychain, batch: open.secretService == nil ? .max : Self.batch) {
        bar.show($0, of: $1)
      })
    if outcomes.contains(where: { [.added, .replaced, .completed].contains($0) }) { try open.remember() }
    let report = report(found, outcomes, isRehearsal: false)
    bar.clear()
    if !isJSON {
      try StandardStreams.write(report.summary())
      say(report.remarks())
    }
    try beforeRemoving()
    var (stayed, isRemoved) = (0, false)
    if removesSource { (stayed, isRemoved) = try remove(found, transfer, outcomes, bar) }
    if isJSON { try StandardStreams.write(report.json(isRemoved: isRemoved)) }
    try refuseParts(report)
    if stayed > 0 {
      throw Failure(
        "\(countText(stayed, "item")) stayed at the source", hint: "the lines above say why",
        status: .keychain)
    }
  }

  /// Throws if something did not come that was to come.
  private func refuseParts(_ report: TransferReport) throws(Failure) {
    guard mustBeWhole, let rest = report.whatDidNotCome() else { return }
    throw Failure(
      "\(rest) did not come", hint: "the lines above say why; the same command goes on from here",
      status: .keychain)
  }

  /// Removes the imported logins from their sources, after reading them back from the keychain.
  ///
  /// - Returns: how many stayed because the keychain doesn't have all of them, or because they have changed; and
  ///   whether anything was removed.
  private func remove(
    _ found: [FoundLogins], _ transfer: Transfer, _ outcomes: [Transfer.Outcome], _ bar: ProgressBar
  ) throws(Failure) -> (stayed: Int, isRemoved: Bool) {
    var lacking: [Int: [String]] = [:]
    let missing = try explaining { () throws(KeychainError) in
      try transfer.missing(outcomes, in: open.own) {
        lacking[$0] = $1
      } progress: {
        bar.show($0, of: $1)
      }
    }
    bar.clear()
    if let first = missing.first {
      throw Failure(
        "\(countText(missing.count, "item")) can't be read back, \(transfer.plan.logins[first].item.key.name) for one; "
          + "nothing was removed", hint: "see what is wrong with 'llavero doctor'", status: .keychain)
    }
    var first = 0
    var stayed = 0
    var isRemoved = false
    for (source, found) in zip(sources, found) {
      let range = first..<first + found.logins.count
      first = range.upperBound
      let login = { (index: Int) in found.logins[index - range.lowerBound] }
      let there = range.filter { outcomes[$0].isThere && login($0).leftBehind.isEmpty }
      let incomplete = there.filter { lacking[$0] != nil }
      stayed += incomplete.count
      say(
        TransferReport.remarks(
          onIncomplete: incomplete.map { (login($0), lacking[$0] ?? []) }, of: source.name))
      let gone = there.filter { lacking[$0] == nil }.map(login)
      if gone.isEmpty { continue }
      let removed = try source.remove(gone)
      if let text = removed.text {
        StandardStreams.say("\(text)")
        isRemoved = true
      }
      stayed += removed.changed.count
      say(TransferReport.remarks(onChanged: removed.changed, of: source.name))
      sayFormerCopies(of: source.name)
    }
    return (stayed, isRemoved)
  }

  /// Tells the user about a copy that version 0.1.0 made of the file the logins were removed from.
  private func sayFormerCopies(of path: String) {
    guard let place = try? SetupPlace() else { return }
    for copy in FormerCopy.all(place) where copy.path == ConfigurationFile(path: path).formerCopyPath {
      StandardStreams.say("\(copy.path), which llavero 0.1.0 made, may still have it")
      StandardStreams.say("hint: 'llavero setup \(copy.tool)' takes that copy away")
    }
  }

  private func report(
    _ found: [FoundLogins], _ outcomes: [Transfer.Outcome], isRehearsal: Bool
  ) -> TransferReport {
    var parts: [TransferReport.Part] = []
    var rest = outcomes[...]
    for (source, found) in zip(sources, found) {
      let part = rest.prefix(found.logins.count)
      rest = rest.dropFirst(part.count)
      parts.append(TransferReport.Part(source: source.name, found: found, outcomes: Array(part)))
    }
    return TransferReport(parts: parts, isRehearsal: isRehearsal)
  }

  private func say(_ remarks: [String]) {
    for remark in remarks { StandardStreams.say("\(remark)") }
  }
}
