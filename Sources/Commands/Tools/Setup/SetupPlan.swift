import Bytes
import Glibc
import Keychain
import PrivateFiles
import ToolCommands

/// A plan to set up one tool, or to undo that. It is complete before anything is changed.
struct SetupPlan {
  struct Step {
    let path: String
    let removed: [String]
    let added: [String]
    /// What the tool asks before the change, and not after it, though its lines stay.
    var noLongerAsked: [String] = []
    fileprivate let carryOut: () throws(KeychainError) -> Void
  }

  private let tool: ToolSetup
  private let isRemoval: Bool
  private let before: SetupRecord
  private var after: SetupRecord
  private(set) var steps: [Step] = []
  /// Whether the former state is known. Without a record, a removal only takes llavero out.
  private(set) var formerIsKnown = true
  /// Things that a removal leaves, and why people should know: sentences in lowercase without a full stop.
  private(set) var remains: [(path: String, sentence: String)] = []
  /// Steps left to a person: the file, and the text to write there.
  private(set) var leftToPerson: [(path: String, what: ByHand)] = []
  /// Links that were made for this tool, and that another one still needs.
  private var handedOver: [(link: String, tool: String)] = []
  /// The tools whose records have become part of this one's.
  private var takenOver: [(tool: String, record: SetupRecord)] = []

  /// The other tools set up, for a removal.
  private var others: OtherSetups?

  private init(_ tool: ToolSetup, isRemoval: Bool) throws(KeychainError) {
    self.tool = tool
    self.isRemoval = isRemoval
    before = try SetupRecord.read(tool.name)
    after = before
  }

  /// Whether the tool was never set up, and has only links and files made for another one.
  var wasHandedOver: Bool { before.isHandedOver }

  /// Whether there is nothing to do, and nothing to remove from the record.
  var isEmpty: Bool { steps.isEmpty && before == after }

  /// Carries out the plan. If llavero is killed in between, the record contains at least the changes made.
  ///
  /// - Throws: ``KeychainError`` if something has changed since the plan was made, or can't be written.
  func carryOut() throws(KeychainError) {
    try SetupRecord.locked { () throws(KeychainError) in
      guard try SetupRecord.read(tool.name) == before else {
        throw .failure(
          "\(tool.name) was set up by another process meanwhile", hint: "try again", status: .keychain)
      }
      if !isRemoval, after != before { try after.write(tool.name) }
      for (tool, record) in takenOver where try SetupRecord.read(tool) == record {
        try SetupRecord().write(tool)
      }
      for step in steps { try step.carryOut() }
      for (link, tool) in handedOver { try Self.hand(link, to: tool, \.links) }
      // The innermost come first.
      for folder in before.folders.sorted().reversed() where !after.folders.contains(folder) {
        if rmdir(folder) != 0, let other = others?.having(below: folder) {
          try Self.hand(folder, to: other, \.folders)
        }
      }
      if isRemoval, after != before { try after.write(tool.name) }
    }
  }

  /// Notes a path in the record of another tool, which may remove it later.
  private static func hand(
    _ path: String, to tool: String, _ list: WritableKeyPath<SetupRecord, [String]>
  ) throws(KeychainError) {
    var record = try SetupRecord.read(tool)
    if record.isEmpty { record.isHandedOver = true }
    record[keyPath: list] = record[keyPath: list].filter { $0 != path } + [path]
    try record.write(tool)
  }

  /// Notes the folders that will be made for a file or link.
  private mutating func noteFolders(of path: String) {
    for folder in ConfigurationFile(path: path).missingFolders where !after.folders.contains(folder) {
      after.folders.append(folder)
    }
  }

  // MARK: Setting up

  /// - Throws: ``KeychainError`` if the tool's configuration can't be changed safely.
  static func setting(_ tool: ToolSetup, _ place: SetupPlace) throws(KeychainError) -> SetupPlan {
    var plan = try SetupPlan(tool, isRemoval: false)
    for setting in try tool.settings(place) { try plan.set(setting.file, setting.format, place) }
    for (folder, name) in try tool.links(place) {
      let target = try LastingPath.forLink(name)
      let path = "\(folder)/\(name)"
      // The folder may not exist yet, and then nothing is in the way.
      let link = realPath(folder) == nil ? nil : try ProgramLinks.plan([name], in: folder).first
      // A working link belongs to its maker.
      if link?.isThere == true || !plan.before.links.contains(path) && LastingPath.isSameFile(path, target) {
        plan.takeOver(path, place)
        continue
      }
      plan.after.links = plan.after.links.filter { $0 != path } + [path]
      plan.noteFolders(of: path)
      plan.steps.append(
        Step(path: path, removed: [], added: ["link to \(target)"]) { () throws(KeychainError) in
          try ConfigurationFile(path: path).makeFolder()
          for link in try ProgramLinks.plan([name], in: folder) { try ProgramLinks.make(link) }
        })
    }
    if plan.after.changes != plan.before.changes || plan.after.links != plan.before.links {
      plan.after.isHandedOver = false
    }
    return plan
  }

  /// Takes over a link that another tool was only left with. The tool now set up removes it, or leaves it there again.
  private mutating func takeOver(_ link: String, _ place: SetupPlace) {
    let others = OtherSetups(ToolSetup.all.filter { $0.name != tool.name }, place)
    for (other, record) in others.leftWith(link: link) {
      after.links = after.links.filter { !record.links.contains($0) } + record.links
      after.folders = after.folders.filter { !record.folders.contains($0) } + record.folders
      takenOver.append((other, record))
    }
  }

  private mutating func set(
    _ file: ConfigurationFile, _ format: any ConfigurationFormat, _ place: SetupPlace
  ) throws(KeychainError) {
    let present = try file.contents()
    let text = present ?? []
    let part = place.part(of: tool)
    let block = block(of: format, part)
    let former = before.changes.filter { $0.path == file.path && $0.part == part }
    var base = text
    let change = try understanding(file, format) {
      () throws(ConfigurationFault) -> (edit: TextEdit?, byHand: ByHand?)? in
      if try format.isMade(in: text) { return nil }
      // llavero's former lines are replaced as a whole.
      for change in former.reversed() { base = try format.undone(change.edit, in: base, block) ?? base }
      if former.isEmpty, let without = block.removed(from: text), format.isWithout(without, text) {
        base = without
      }
      return try format.change(of: base, like: text, in: block) { command in
        place.mayRunPrograms ? file.changed(by: command, from: base) : nil
      }
    }
    if let byHand = change?.byHand { leftToPerson.append((file.path, byHand)) }
    guard let edit = change?.edit else { return }
    after.changes.removeAll(where: former.contains)
    after.changes.append(
      SetupRecord.Change(
        path: file.path, part: part, isMade: present == nil || former.contains(where: \.isMade), edit: edit))
    noteFolders(of: file.path)
    let result = edit.applied(to: base)
    let shown = Self.shownChange(from: text, to: result, format)
    let check = tool.check
    steps.append(
      Step(
        path: file.path, removed: shown.removed, added: block.lines(of: edit) ?? shown.added,
        noLongerAsked: tool.silenced(place, edit.added)
      ) { () throws(KeychainError) in
        try file.replace(present, with: result) { (path) throws(KeychainError) in try check(path, result) }
      })
  }

  private func block(of format: any ConfigurationFormat, _ part: String?) -> MarkedBlock {
    format.block(named: [tool.name, part].compactMap { $0 }.joined(separator: " "))
  }

  // MARK: Undoing

  /// - Parameter staying: the other tools set up, which keep everything that they need.
  /// - Throws: ``KeychainError`` if that needs a person.
  static func removing(
    _ tool: ToolSetup, _ place: SetupPlace, staying: [ToolSetup] = ToolSetup.all + [.secretService]
  ) throws(KeychainError) -> SetupPlan {
    var plan = try SetupPlan(tool, isRemoval: true)
    let place = place.forRemoving
    let others = OtherSetups(staying.filter { $0.name != tool.name }, place)
    plan.others = others
    let recorded = OtherSetups(
      (ToolSetup.all + [.secretService]).filter { $0.name != tool.name }, place)
    let toolLinks = try tool.links(place).map { "\($0.folder)/\($0.name)" }
    let part = place.part(of: tool)
    let settings = try tool.settings(place)
    var paths: [String] = []
    for path in plan.before.changes.filter({ $0.part == part }).map(\.path) + settings.map(\.file.path)
    where !paths.contains(path) {
      paths.append(path)
    }
    let isNamed = paths.contains { path in
      do throws(KeychainError) {
        return try (ConfigurationFile(path: path).contents() ?? []).contains(bytes: Array("llavero".utf8))
      } catch {
        return true
      }
    }
    var untouched: [String] = []
    for path in paths {
      let changes = plan.before.changes.filter { $0.path == path && $0.part == part }
      // With a record, even of a tool that shares the link, anything outside it was there before; so was anything that
      // nobody would write for llavero.
      let isKnown =
        !plan.before.isEmpty || !isNamed || recorded.haveMade(links: toolLinks)
        || recorded.haveChanged(file: path)
      if changes.isEmpty, isKnown {
        untouched.append(path)
        continue
      }
      // If the tool's configuration has moved, its form is the same.
      guard let format = (settings.first { $0.file.path == path } ?? settings.first)?.format else { continue }
      try plan.remove(ConfigurationFile(path: path), changes, format, part)
    }
    var links = plan.before.links
    if plan.before.isEmpty, !plan.steps.isEmpty { links = toolLinks }
    var isLinkRemoved = false
    let given = plan.steps.map(\.path)
    for path in links {
      plan.after.links.removeAll { $0 == path }
      guard ProgramLinks.isOwnLink(path) else { continue }
      if let other = others.needing(link: path, without: given) {
        if !plan.before.isEmpty { plan.handedOver.append((path, other)) }
        plan.remains.append((path, "stays, because \(other) needs it"))
        continue
      }
      isLinkRemoved = true
      plan.steps.append(
        Step(path: path, removed: ["link to llavero"], added: []) { () throws(KeychainError) in
          _ = try ProgramLinks.remove(path)
        })
    }
    if isLinkRemoved {
      for path in untouched where names(llavero: path, settings) {
        plan.remains.append((path, "still names llavero, without the link that setup had made"))
      }
    }
    // As long as there is another profile, its file keeps them.
    if plan.after.changes.isEmpty, plan.after.links.isEmpty { plan.after.folders = [] }
    return plan
  }

  private static func names(llavero path: String, _ settings: [ToolSetting]) -> Bool {
    guard let text = try? ConfigurationFile(path: path).contents() else { return false }
    return settings.contains {
      $0.file.path == path && (try? $0.format.reading(of: text).namesLlavero) ?? false
    }
  }

  private mutating func remove(
    _ file: ConfigurationFile, _ changes: [SetupRecord.Change], _ format: any ConfigurationFormat,
    _ part: String?
  ) throws(KeychainError) {
    after.changes.removeAll(where: changes.contains)
    guard let present = try file.contents() else { return }
    let block = block(of: format, part)
    var text = present
    if changes.isEmpty {
      text = try withoutUnrecorded(file, present, format, block)
      if text != present { formerIsKnown = false }
    }
    for change in changes.reversed() {
      let undone = try understanding(file, format) { () throws(ConfigurationFault) -> [UInt8]? in
        if let undone = try format.undone(change.edit, in: text, block) { return undone }
        return try format.reading(of: text).namesLlavero ? nil : text
      }
      guard let undone else { throw changedTooMuch(file, format, text) }
      text = undone
    }
    var isMade = changes.contains(where: \.isMade)
    if isMade, let index = after.changes.firstIndex(where: { $0.path == file.path }) {
      // The line of another profile keeps the file.
      after.changes[index].isMade = true
      isMade = false
    }
    if text == present { return }
    let result = text.isBlank && isMade ? nil : text
    let change = Self.shownChange(from: present, to: text, format)
    let check = tool.check
    steps.append(
      Step(path: file.path, removed: change.removed, added: change.added) { () throws(KeychainError) in
        try file.replace(present, with: result) { (path) throws(KeychainError) in
          try check(path, result ?? [])
        }
      })
  }

  /// The text without settings that the record doesn't have, or a person has made.
  private func withoutUnrecorded(
    _ file: ConfigurationFile, _ present: [UInt8], _ format: any ConfigurationFormat, _ block: MarkedBlock
  ) throws(KeychainError) -> [UInt8] {
    let former = try understanding(file, format) { () throws(ConfigurationFault) -> [UInt8]? in
      guard try format.isMade(in: present) else { return present }
      if let without = block.removed(from: present), format.isWithout(without, present) { return without }
      let edit = (try? format.proposal(for: [], like: [], in: block)) ?? nil
      return try format.undone(edit ?? TextEdit(offset: 0, removed: [], added: []), in: present, block)
    }
    guard let former else { throw changedTooMuch(file, format, present) }
    return former
  }

  private static func shownChange(
    from present: [UInt8], to text: [UInt8], _ format: any ConfigurationFormat
  ) -> (removed: [String], added: [String]) {
    let before = (try? format.ownLines(in: present)) ?? []
    let after = (try? format.ownLines(in: text)) ?? []
    // A line may be there more than once.
    func lines(_ lines: [String], without others: [String]) -> [String] {
      var others = others
      return lines.filter { line in
        guard let index = others.firstIndex(of: line) else { return true }
        others.remove(at: index)
        return false
      }
    }
    return (lines(before, without: after), lines(after, without: before))
  }

  // MARK: Refusing

  private func changedTooMuch(
    _ file: ConfigurationFile, _ format: any ConfigurationFormat, _ text: [UInt8]
  ) -> KeychainError {
    let lines = ((try? format.reading(of: text).setting) ?? []).map(\.line).filter { $0.hasPart("llavero") }
    return .failure(
      "\(file.path) has changed too much since it was set up",
      hint: "take this out of it by hand: \(prose: lines.joined(separator: ", then "))", status: .keychain)
  }

  private func understanding<Result>(
    _ file: ConfigurationFile, _ format: any ConfigurationFormat,
    _ body: () throws(ConfigurationFault) -> Result
  ) throws(KeychainError) -> Result {
    do throws(ConfigurationFault) {
      return try body()
    } catch {
      let lines = (error.byHand ?? format.byHand).map { $0.filter { $0 != "\t" } }.joined(
        separator: ", then ")
      throw .failure(
        "\(file.path) can't be changed safely: \(error.reason)",
        hint: isRemoval
          ? "correct it, or take this out of it by hand: \(prose: lines)"
          : "correct it, or write this there by hand: \(prose: lines)",
        status: .keychain)
    }
  }
}

extension [UInt8] {
  fileprivate func contains(bytes: [UInt8]) -> Bool {
    bytes.isEmpty || indices.contains { self[$0...].starts(with: bytes) }
  }
}
