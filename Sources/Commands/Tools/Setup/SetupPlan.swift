import Bytes
import Glibc
import PrivateFiles
import Terminals

/// A plan to set up one tool, or to undo that. It is complete before anything is changed.
struct SetupPlan {
  /// A file or link to change.
  struct Step {
    let path: String
    let removed: [String]
    let added: [String]
    fileprivate let carryOut: () throws(Failure) -> Void
  }

  private let tool: ToolSetup
  private let isRemoval: Bool
  private let before: SetupRecord
  private var after: SetupRecord
  private(set) var steps: [Step] = []
  /// Whether it is known what was there before. Without a record, the steps of a removal only take llavero out.
  private(set) var formerIsKnown = true
  /// What a removal leaves as it is, and why people should know: sentences in lowercase without a full stop.
  private(set) var remains: [(path: String, sentence: String)] = []
  /// Links that were made for this tool, and that another one still needs.
  private var handedOver: [(link: String, tool: String)] = []
  /// The tools whose records have become part of this one's.
  private var takenOver: [(tool: String, record: SetupRecord)] = []

  /// What else stays set up, for a removal.
  private var others: OtherSetups?

  private init(_ tool: ToolSetup, isRemoval: Bool) throws(Failure) {
    self.tool = tool
    self.isRemoval = isRemoval
    before = try SetupRecord.read(tool.name)
    after = before
  }

  /// Whether the tool was never set up, and has only what was made for another one.
  var wasHandedOver: Bool { before.isHandedOver }

  /// Whether there is nothing to do, and nothing to remove from the record.
  var isEmpty: Bool { steps.isEmpty && before == after }

  /// Carries out the plan. If llavero is killed in between, the record contains at least what was changed.
  ///
  /// - Throws: ``Failure`` if something has changed since the plan was made, or can't be written.
  func carryOut() throws(Failure) {
    try SetupRecord.locked { () throws(Failure) in
      guard try SetupRecord.read(tool.name) == before else {
        throw Failure(
          "\(tool.name) was set up by somebody else meanwhile", hint: "try again", status: .keychain)
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
  ) throws(Failure) {
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

  /// The plan that lets a tool log in from here.
  ///
  /// - Throws: ``Failure`` if its configuration can't be changed safely.
  static func setting(_ tool: ToolSetup, _ place: SetupPlace) throws(Failure) -> SetupPlan {
    var plan = try SetupPlan(tool, isRemoval: false)
    for (file, formats) in try tool.settings(place) { try plan.set(file, formats, place) }
    for (folder, name) in try tool.links(place) {
      let target = try LastingPath.forLink(name)
      let path = "\(folder)/\(name)"
      // The folder may not exist yet, and then nothing is in the way.
      let link = realPath(folder) == nil ? nil : try ProgramLinks.plan([name], in: folder).first
      // Whoever has made a link that works, it is theirs.
      if link?.isThere == true || !plan.before.links.contains(path) && LastingPath.isSameFile(path, target) {
        plan.takeOver(path, place)
        continue
      }
      plan.after.links = plan.after.links.filter { $0 != path } + [path]
      plan.noteFolders(of: path)
      plan.steps.append(
        Step(path: path, removed: [], added: ["link to \(target)"]) { () throws(Failure) in
          try ConfigurationFile(path: path).makeFolder()
          for link in try ProgramLinks.plan([name], in: folder) { try ProgramLinks.make(link) }
        })
    }
    if plan.after.changes != plan.before.changes || plan.after.links != plan.before.links {
      plan.after.isHandedOver = false
    }
    return plan
  }

  /// Takes over a link that another tool was only left with. Whoever is set up removes it, or leaves it there again.
  private mutating func takeOver(_ link: String, _ place: SetupPlace) {
    let others = OtherSetups(ToolSetup.all.filter { $0.name != tool.name }, place)
    for (other, record) in others.leftWith(link: link) {
      after.links = after.links.filter { !record.links.contains($0) } + record.links
      after.folders = after.folders.filter { !record.folders.contains($0) } + record.folders
      takenOver.append((other, record))
    }
  }

  private mutating func set(
    _ file: ConfigurationFile, _ formats: [any ConfigurationFormat], _ place: SetupPlace
  ) throws(Failure) {
    let present = try file.contents()
    let copy = try file.formerCopy()
    var text = present ?? []
    var isCopyNeeded = false
    if let copy, !before.changes.contains(where: { $0.path == file.path }) {
      // From now on the record takes over the purpose of this copy.
      if let former = FormerCopy.undone(text, to: copy, formats) {
        text = former
      } else {
        isCopyNeeded = FormerCopy.isNeeded(for: text, formats)
      }
    }
    var removed: [String] = []
    var added: [String] = []
    for format in formats {
      let start = text
      text = try understanding(file, format) { () throws(ConfigurationFault) in try format.cleaned(start) }
      let (change, edits) = try understanding(file, format) {
        () throws(ConfigurationFault) -> ((removed: [String], added: [String]), [TextEdit]) in
        (try format.change(from: text), try format.edits(for: text))
      }
      removed += shownChange(from: start, to: text, [format]).removed
      if edits.isEmpty { continue }
      after.changes.removeAll { former in
        former.path == file.path && former.setting == format.name
          && former.part == place.part(of: tool)
          && !former.edits.allSatisfy { text.contains(bytes: $0.added) }
      }
      after.changes.append(
        SetupRecord.Change(
          path: file.path, setting: format.name, part: place.part(of: tool), isMade: present == nil,
          edits: edits))
      text = edits.applied(to: text)
      removed += change.removed
      added += change.added
    }
    let result = text
    if result != present ?? [] {
      noteFolders(of: file.path)
      let check = tool.check
      steps.append(
        Step(path: file.path, removed: removed, added: added) { () throws(Failure) in
          try file.replace(present, with: result) { (path) throws(Failure) in try check(path, result) }
        })
    }
    if copy != nil, !isCopyNeeded { removeCopy(of: file) }
  }

  private mutating func removeCopy(of file: ConfigurationFile) {
    steps.append(
      Step(path: file.formerCopyPath, removed: ["the copy that version 0.1.0 kept"], added: []) {
        () throws(Failure) in try file.removeFormerCopy()
      })
  }

  // MARK: Undoing

  /// The plan that gives a tool its configuration back.
  ///
  /// - Parameter staying: the tools that stay set up, if they are. What they need stays, too.
  /// - Throws: ``Failure`` if that needs a person.
  static func removing(
    _ tool: ToolSetup, _ place: SetupPlace, staying: [ToolSetup] = ToolSetup.all + [.secretService]
  ) throws(Failure) -> SetupPlan {
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
      do throws(Failure) {
        return try (ConfigurationFile(path: path).contents() ?? []).contains(bytes: Array("llavero".utf8))
      } catch {
        return true
      }
    }
    var untouched: [String] = []
    for path in paths {
      let changes = plan.before.changes.filter { $0.path == path && $0.part == part }
      // Where there is a record, be it that of a tool that shares the link, what it doesn't have was there before; so
      // was what nobody would write for llavero.
      let isKnown =
        !plan.before.isEmpty || !isNamed || recorded.haveMade(links: toolLinks)
        || recorded.haveChanged(file: path)
      if changes.isEmpty, isKnown, try ConfigurationFile(path: path).formerCopy() == nil {
        untouched.append(path)
        continue
      }
      let formats = settings.first { $0.file.path == path }?.formats ?? []
      try plan.remove(
        ConfigurationFile(path: path), changes, formats.isEmpty ? settings.flatMap(\.formats) : formats)
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
        Step(path: path, removed: ["link to llavero"], added: []) { () throws(Failure) in
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

  /// Whether one of a tool's settings in a file names llavero.
  private static func names(
    llavero path: String, _ settings: [(file: ConfigurationFile, formats: [any ConfigurationFormat])]
  ) -> Bool {
    guard let text = try? ConfigurationFile(path: path).contents() else { return false }
    return settings.filter { $0.file.path == path }.flatMap(\.formats).contains { format in
      (try? format.current(in: text))?.hasPart("llavero") ?? false
    }
  }

  private mutating func remove(
    _ file: ConfigurationFile, _ changes: [SetupRecord.Change], _ formats: [any ConfigurationFormat]
  ) throws(Failure) {
    after.changes.removeAll(where: changes.contains)
    let copy = try file.formerCopy()
    guard let present = try file.contents() else {
      if copy != nil { removeCopy(of: file) }
      return
    }
    var text = present
    if changes.isEmpty {
      text = try withoutUnrecorded(file, present, copy, formats)
      if text != present, copy == nil { formerIsKnown = false }
    }
    for change in changes.reversed() {
      guard let format = formats.first(where: { $0.name == change.setting }) else { continue }
      let (undone, isThere) = try understanding(file, format) {
        () throws(ConfigurationFault) -> ([UInt8]?, Bool) in
        let undone: [UInt8]? = try format.undoing(change.edits, in: text)
        if undone != nil { return (undone, false) }
        return (nil, try format.current(in: text)?.hasPart("llavero") ?? false)
      }
      if isThere { throw changedTooMuch(file, format, text) }
      text = undone ?? text
    }
    var isMade = changes.contains(where: \.isMade)
    if isMade, let index = after.changes.firstIndex(where: { $0.path == file.path }) {
      // The line of another profile keeps the file.
      after.changes[index].isMade = true
      isMade = false
    }
    if text != present {
      let result = text.isBlank && isMade ? nil : text
      let change = shownChange(from: present, to: text, formats)
      let check = tool.check
      steps.append(
        Step(path: file.path, removed: change.removed, added: change.added) { () throws(Failure) in
          try file.replace(present, with: result) { (path) throws(Failure) in try check(path, result ?? []) }
        })
    }
    if copy != nil { removeCopy(of: file) }
  }

  /// The text without settings that version 0.1.0, or the user, has made.
  private func withoutUnrecorded(
    _ file: ConfigurationFile, _ present: [UInt8], _ copy: [UInt8]?, _ formats: [any ConfigurationFormat]
  ) throws(Failure) -> [UInt8] {
    if let copy {
      if let former = FormerCopy.undone(present, to: copy, formats) { return former }
      if FormerCopy.isNeeded(for: present, formats) {
        throw Failure(
          "\(file.path) has changed too much since it was set up",
          hint:
            "take llavero's lines out of it by hand; \(words: file.formerCopyPath) shows what was there before",
          status: .keychain)
      }
      return present
    }
    var text = present
    for format in formats {
      text = try understanding(file, format) { () throws(ConfigurationFault) in
        _ = try format.reading(of: text)
        return try format.cleaned(text)
      }
    }
    guard let format = formats.first, formats.allSatisfy({ FormerCopy.isSet($0, in: text) }) else {
      return text
    }
    guard let former = FormerCopy.undone(text, to: [], formats) else {
      throw changedTooMuch(file, format, text)
    }
    return former
  }

  /// The settings that are removed, and those that come back.
  private func shownChange(
    from present: [UInt8], to text: [UInt8], _ formats: [any ConfigurationFormat]
  ) -> (removed: [String], added: [String]) {
    var change: (removed: [String], added: [String]) = ([], [])
    for format in formats {
      let before = (try? format.reading(of: present).setting) ?? []
      let after = (try? format.reading(of: text).setting) ?? []
      change.removed += before.filter { !after.contains($0) }.map(format.shown)
      change.added += after.filter { !before.contains($0) }.map(format.shown)
    }
    return change
  }

  // MARK: Refusing

  private func changedTooMuch(
    _ file: ConfigurationFile, _ format: any ConfigurationFormat, _ text: [UInt8]
  ) -> Failure {
    let lines = ((try? format.reading(of: text).setting) ?? []).filter { $0.hasPart("llavero") }.map(
      format.shown)
    return Failure(
      "\(file.path) has changed too much since it was set up",
      hint: "take this out of it by hand: \(prose: lines.joined(separator: ", then "))", status: .keychain)
  }

  private func understanding<Result>(
    _ file: ConfigurationFile, _ format: any ConfigurationFormat,
    _ body: () throws(ConfigurationFault) -> Result
  ) throws(Failure) -> Result {
    do throws(ConfigurationFault) {
      return try body()
    } catch {
      let lines = (error.byHand ?? format.byHand).map { $0.filter { $0 != "\t" } }.joined(
        separator: ", then ")
      throw Failure(
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
