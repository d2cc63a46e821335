import Interchange
import Keychain
import KeychainChoice
import ToolCommands

/// Brings the logins of sources into a keychain, and reports the result.
struct Importing {
  private let open: OpenKeychain
  private let sources: [any ImportSource]
  private let comparesNotes: Bool
  private let mayAsk: Bool
  private let policy: ConflictPolicy?
  /// Whether an incomplete import is a failure.
  private let mustBeWhole: Bool
  /// The failure if there is nothing to import; `nil` for one that names the sources.
  private let ifEmpty: KeychainError?

  /// The number of items sent to a desktop service at once.
  private static let batch = 50

  /// - Parameters:
  ///   - comparesNotes: whether an item with the same secret but another label, comment or the like is a different
  ///     one.
  ///   - policy: what to do if the keychain has another secret; `nil` asks if possible.
  ///   - mustBeWhole: whether an incomplete import is a failure.
  init(
    into open: OpenKeychain, from sources: [any ImportSource], comparesNotes: Bool, mayAsk: Bool,
    policy: ConflictPolicy?, mustBeWhole: Bool = false, ifEmpty: KeychainError? = nil
  ) {
    self.open = open
    self.sources = sources
    self.comparesNotes = comparesNotes
    self.mayAsk = mayAsk
    self.policy = policy
    self.mustBeWhole = mustBeWhole
    self.ifEmpty = ifEmpty
  }

  /// Imports the logins, or reports what it would import.
  ///
  /// - Parameters:
  ///   - what: the word beside the progress bar, such as `importing`.
  ///   - beforeRemoving: runs before anything is removed from a source.
  /// - Throws: ``KeychainError``, with ``ExitStatus/nothingMatched`` if there is nothing to import, or if something differs
  ///   and nobody says what to do about it. Nothing has changed then.
  func run(
    what: String, isRehearsal: Bool, removesSource: Bool, output: OutputOptions,
    beforeRemoving: () throws(KeychainError) -> Void = {}
  ) throws(KeychainError) {
    let bar = ProgressBar(what)
    var found: [FoundLogins] = []
    for source in sources {
      found.append(try source.read { bar.show($0, of: $1) })
      bar.clear()
    }
    if !isRehearsal {
      for index in found.indices { try chooseAmongSame(&found[index], of: sources[index].name) }
    }
    let keychain = open.own
    let logins = found.flatMap(\.logins)
    FoundLogin.unite(logins)
    let plan = try TransferPlan(logins, in: keychain, comparesNotes: comparesNotes)
    // A migration brings no account in use.
    var answers = ImportedAnswers(of: mustBeWhole ? [] : found, in: open.choice)
    try answers.noteFormer(in: keychain)
    if isRehearsal {
      let replaced = policy == .replace ? Set(plan.conflicts) : []
      let foreseen = Transfer(plan: plan, replacing: replaced).foreseen
      let report = report(found, plan, foreseen, isRehearsal: true)
      try output.write(report.report(isRemoved: false), or: report.table() + report.summary())
      sayWhereNotesAre(found, foreseen, isRehearsal: true)
      if !output.json {
        say(report.remarks())
        if foreseen.contains(where: \.isWritten) { say(answers.foreseen { foreseen[$0].isWritten }) }
      }
      try ConflictPolicy.refuseUndecided(in: plan, policy, mayAsk: mayAsk)
      if !output.json { sayWhatDoesIt(report) }
      return
    }
    if plan.logins.isEmpty {
      let report = report(found, plan, [], isRehearsal: false)
      say(report.remarks())
      try refuseParts(report)
      if let ifEmpty, Self.mending(found) == nil { throw ifEmpty }
      throw .failure(
        "there are no logins in \(sources.map(\.name).joined(separator: " and "))",
        hint: Self.mending(found), status: .nothingMatched)
    }
    let transfer = Transfer(
      plan: plan, replacing: try ConflictPolicy.replaced(in: plan, policy, mayAsk: mayAsk))
    let result = transfer.run(in: keychain, batch: open.file == nil ? Self.batch : .max) {
      bar.show($0, of: $1)
    }
    let outcomes = result.outcomes
    let hasChanged = outcomes.contains(where: \.isWritten)
    if hasChanged { open.remember() }
    // With removal, each login that stays is reported.
    let report = report(found, removesSource ? nil : plan, outcomes, isRehearsal: false)
    bar.clear()
    // The file has all of it, or nothing.
    if let failure = result.failure, !hasChanged, open.file != nil { throw failure }
    if !output.json {
      try StandardStreams.write(report.summary())
      say(report.remarks())
    }
    sayWhereNotesAre(found, outcomes, isRehearsal: false)
    if let failure = result.failure {
      try output.write(report.report(isRemoved: false))
      say([
        "\(countText(report.count(.unconfirmed), "item")) may not have come; the same command goes on from here"
      ])
      throw failure
    }
    if hasChanged, !mustBeWhole {
      let remarks = try answers.settle(in: open.own)
      if !output.json { say(remarks) }
    }
    try beforeRemoving()
    var removal = Removal()
    if removesSource { removal = try remove(found, transfer, outcomes, bar) }
    for left in removal.kept { sayWhatIsKept(left.count, in: left.source) }
    try output.write(report.report(isRemoved: removal.isRemoved))
    if let failure = removal.failure { throw failure }
    try refuseParts(report)
    if removal.stayed > 0 {
      let stayed = removal.stayed + removal.kept.reduce(0) { $0 + $1.count }
      let places = sources.map(\.name).filter { name in
        removal.stayedIn.contains(name) || removal.kept.contains { $0.source == name }
      }
      throw .failure(
        "\(countText(stayed, "item")) \(stayed == 1 ? "is" : "are") still in "
          + places.joined(separator: " and "),
        hint: output.json ? "'leftBehind' or the lines above say why" : "the lines above say why",
        status: .keychain)
    }
    if !removal.withMore.isEmpty {
      throw .failure(
        "\(removal.withMore.joined(separator: " and ")) couldn't be removed, because there is more in it than logins",
        hint: "look into it, and remove it yourself", status: .keychain)
    }
  }

  /// Tells that a source still has logins of which the keychain has kept its own secret: the same command takes them out
  /// no more than it did now.
  private func sayWhatIsKept(_ count: Int, in source: String) {
    let what = comparesNotes ? "another secret or other notes" : "another secret"
    let (them, are) = count == 1 ? ("it", "is") : ("them", "are")
    StandardStreams.say("\(countText(count, "login")) with \(what) \(are) still in \(source)")
    StandardStreams.say(
      "hint: '--on-conflict replace' takes \(them) over; to keep what the keychain has, delete \(them) there yourself"
    )
  }

  /// Warns, scripts as well, of notes that a Secret Service shows to everybody who reads its file.
  private func sayWhereNotesAre(_ found: [FoundLogins], _ outcomes: [Transfer.Outcome], isRehearsal: Bool) {
    guard open.secretService != nil else { return }
    let hasNotes = zip(found.flatMap(\.logins), outcomes).contains { login, outcome in
      outcome.isWritten && login.item.comment != nil
    }
    if !hasNotes { return }
    say([
      "notes \(isRehearsal ? "would come" : "came") as comments, which a keyring doesn't protect even while it is "
        + "locked; the encrypted file does",
      "hint: after 'llavero keychain use file', what you import goes there",
    ])
  }

  /// After a rehearsal, tells a person what to type.
  private func sayWhatDoesIt(_ report: TransferReport) {
    let doesSomething = [Transfer.Outcome.added, .replaced, .completed].contains { report.count($0) > 0 }
    let isUndecided = policy == nil && report.count(.kept) > 0
    guard doesSomething || isUndecided, StandardStreams.isTerminal(2) else { return }
    guard let command = Self.command(CommandLine.arguments, isUndecided ? ["--on-conflict", "keep"] : [])
    else { return }
    let all: Hint = "\(commandOf: command)"
    StandardStreams.say(
      isUndecided
        ? "hint: \(all) does it, and keeps what the keychain has where they differ; 'replace' in place of 'keep' takes the other"
        : "hint: \(all) does it")
  }

  /// The command of a rehearsal without `--dry-run`, and with more options; `nil` if its input is gone by now.
  static func command(_ arguments: [String], _ options: [String]) -> [String]? {
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    let words = arguments[..<end].filter { $0 != "--dry-run" } + arguments[end...]
    if words.contains(where: { $0 == "-" || $0.hasPrefix("/dev/fd/") || $0 == "/dev/stdin" }) { return nil }
    return ["llavero"] + words.dropFirst().prefix(1) + options + words.dropFirst(2)
  }

  /// What to do about lines that can't be read, if a source has nothing else.
  private static func mending(_ found: [FoundLogins]) -> Hint? {
    let lines = found.flatMap(\.passedOver).compactMap { entry -> Int? in
      if entry.reason == .malformed, case .line(let line) = entry.origin { return line }
      return nil
    }
    guard let first = lines.first else { return nil }
    return lines.count == 1
      ? "correct line \(first), or remove it by hand"
      : "correct the lines that were skipped, or remove them by hand"
  }

  /// Asks which of several logins for the same is in use, if anybody can be asked. Otherwise they stay apart.
  private func chooseAmongSame(_ found: inout FoundLogins, of source: String) throws(KeychainError) {
    guard let terminal = Terminal.ofPerson(mayAsk: mayAsk) else { return }
    for group in found.keptApart where group.logins.count < 10 {
      let numbers = group.logins.indices.map { Character("\($0 + 1)") }
      var question: TextForTerminal =
        "\(source) has several logins for \(group.place), with different secrets:\n"
      for (number, login) in zip(numbers, group.logins) {
        let name = login.item.label.map { " \($0)" } ?? ""
        let changed = login.item.modificationDate.map { ", changed \(dateText($0))" } ?? ""
        question = question + "  (\("\(number)")) \(TransferReport.text([login.origin]))\(name)\(changed)\n"
      }
      question = question + "Which one is in use? (k)eep all apart, (q)uit "
      var answer: Character?
      while answer == nil { answer = terminal.ask(question, among: numbers + ["k", "q"]) }
      if answer == "q" { throw .failure("nothing was changed", status: .nothingMatched) }
      if let index = answer.flatMap(numbers.firstIndex) { found.choose(group.logins[index], of: group) }
    }
  }

  /// Throws if the import is incomplete.
  private func refuseParts(_ report: TransferReport) throws(KeychainError) {
    let overtaken = report.count(.overtaken)
    if !mustBeWhole, overtaken > 0 {
      throw .failure(
        "\(countText(overtaken, "login")) did not come, because somebody has added or changed them meanwhile",
        hint: "run this again; it compares them anew", status: .keychain)
    }
    if report.isCutOff {
      throw .failure(
        "a part of the source can't be read, and its contents are unknown",
        hint: "the lines above say where",
        status: .keychain)
    }
    guard mustBeWhole, let rest = report.whatDidNotCome() else { return }
    throw .failure(
      "\(rest) did not come", hint: "the lines above say why; the same command goes on from here",
      status: .keychain)
  }

  private struct Removal {
    /// How many stayed because the keychain doesn't have all of them, or has no room for that, or because they have
    /// changed.
    var stayed = 0
    /// The names of the sources where they are.
    var stayedIn: [String] = []
    /// How many logins stay in which source because the keychain keeps another secret: that was decided, so it is no
    /// failure.
    var kept: [(source: String, count: Int)] = []
    /// The sources that stay because they have something else.
    var withMore: [String] = []
    var isRemoved = false
    /// Why a source failed in the middle.
    var failure: KeychainError?
  }

  /// Removes the imported logins from their sources, after reading them back from the keychain.
  private func remove(
    _ found: [FoundLogins], _ transfer: Transfer, _ outcomes: [Transfer.Outcome], _ bar: ProgressBar
  ) throws(KeychainError) -> Removal {
    var lacking: [Int: [String]] = [:]
    let missing = try transfer.missing(outcomes, in: open.own) {
      lacking[$0] = $1
    } progress: {
      bar.show($0, of: $1)
    }
    bar.clear()
    if let first = missing.first {
      throw .failure(
        "\(countText(missing.count, "item")) can't be read back, \(transfer.plan.logins[first].item.key.name) for one; "
          + "nothing was removed", hint: "see what is wrong with 'llavero doctor'", status: .keychain)
    }
    var first = 0
    var removal = Removal()
    for (source, found) in zip(sources, found) {
      let range = first..<first + found.logins.count
      first = range.upperBound
      let before = removal.stayed
      defer { if removal.stayed > before { removal.stayedIn.append(source.name) } }
      let login = { (index: Int) in found.logins[index - range.lowerBound] }
      let all = range.filter { outcomes[$0].isThere }
      let there = all.filter { login($0).leftBehind.isEmpty }
      let incomplete = there.filter { lacking[$0] != nil }
      removal.stayed += all.count - there.count + incomplete.count
      removal.stayed += range.count { [.repeated, .unusable].contains(outcomes[$0]) }
      removal.stayed += found.passedOver.count(where: \.mayBeLogin)
      let kept = range.count { outcomes[$0] == .kept }
      if kept > 0 { removal.kept.append((source.name, kept)) }
      say(
        TransferReport.remarks(
          onIncomplete: incomplete.map { (login($0), lacking[$0] ?? []) }, of: source.name))
      let gone = there.filter { lacking[$0] == nil }.map(login)
      if gone.isEmpty { continue }
      let removed = try source.remove(gone)
      if let text = removed.text {
        StandardStreams.say("\(text)")
        removal.isRemoved = true
      }
      if removed.hasMore { removal.withMore.append(source.name) }
      removal.stayed += removed.changed.count
      say(TransferReport.remarks(onChanged: removed.changed, of: source.name))
      say(TransferReport.remarks(onNotDeleted: removed.notDeleted, of: source.name))
      if let failure = removed.failure {
        removal.failure = failure
        break
      }
    }
    return removal
  }

  private func report(
    _ found: [FoundLogins], _ plan: TransferPlan?, _ outcomes: [Transfer.Outcome], isRehearsal: Bool
  ) -> TransferReport {
    var parts: [TransferReport.Part] = []
    var rest = outcomes[...]
    var first = 0
    for (source, found) in zip(sources, found) {
      let part = rest.prefix(found.logins.count)
      rest = rest.dropFirst(part.count)
      let range = first..<first + found.logins.count
      let contradictions = (plan?.contradictions ?? [:]).filter { range.contains($0.key) }
      parts.append(
        TransferReport.Part(
          source: source.name, found: found, outcomes: Array(part),
          contradictions: Dictionary(
            uniqueKeysWithValues: contradictions.map { ($0.key - range.lowerBound, $0.value) })))
      first = range.upperBound
    }
    return TransferReport(parts: parts, isRehearsal: isRehearsal, policy: policy)
  }

  private func say(_ remarks: [String]) {
    for remark in remarks { StandardStreams.say("\(remark)") }
  }
}
