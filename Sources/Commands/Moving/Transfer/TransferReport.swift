import Bytes
import CredentialProtocols
import Interchange
import Keychain
import ToolCommands

/// A report, for a person or a program, of what a transfer did or would do.
struct TransferReport {
  struct Part {
    /// The user's name for the source.
    let source: String
    let found: FoundLogins
    let outcomes: [Transfer.Outcome]
    /// The keychain's differences from a login that it keeps, by the login's index.
    let contradictions: [Int: [String]]
  }

  let parts: [Part]
  let isRehearsal: Bool
  /// What the user has chosen for logins that differ.
  let policy: ConflictPolicy?

  func count(_ outcome: Transfer.Outcome) -> Int {
    parts.reduce(0) { $0 + $1.outcomes.count { $0 == outcome } }
  }

  // MARK: For people

  /// With a line for each login.
  func table() -> TextForTerminal {
    var rows: [[String]] = []
    for part in parts {
      for (login, outcome) in zip(part.found.logins, part.outcomes) {
        rows.append([
          words(for: outcome).word, login.item.key.place,
          login.item.key.account.map { "\($0)" } ?? "-",
        ])
      }
    }
    return columns(rows, wrappedTo: TerminalStyle().width)
  }

  /// One line with all the counts.
  func summary() -> TextForTerminal {
    let numbers = Transfer.Outcome.allCases.map { (count($0), words(for: $0).total) }.filter { $0.0 > 0 }
      .map { "\($0.0) \($0.1)" }
    let text = numbers.isEmpty ? "no logins" : numbers.joined(separator: ", ")
    return isRehearsal ? "\(text); nothing was changed yet\n" : "\(text)\n"
  }

  /// Notes on skipped entries with the reasons, without showing them.
  func remarks() -> [String] {
    var remarks: [String] = []
    for part in parts {
      let source = terminalText(part.source)
      for reason in PassedOver.Reason.allCases {
        guard let text = Self.text(reason) else { continue }
        let origins = part.found.passedOver.filter { $0.reason == reason }.map(\.origin)
        if !origins.isEmpty { remarks.append("\(source): skipped \(Self.text(origins)): \(text)") }
      }
      for outcome in Transfer.Outcome.allCases {
        let origins = zip(part.found.logins, part.outcomes).filter { $1 == outcome }.map { $0.0.origin }
        if let text = words(for: outcome).leftOut, !origins.isEmpty {
          remarks.append("\(source): left out \(Self.text(origins)): \(text)")
        }
      }
      let contradicting = part.contradictions.sorted { $0.key < $1.key }
        .map { (login: part.found.logins[$0.key], lacking: $0.value) }
      for (lacking, origins) in Self.grouped(contradicting) {
        remarks.append(
          "\(source): the keychain keeps its own \(lacking.joined(separator: " and ")) instead of those of "
            + Self.text(origins))
      }
      remarks += remarksOnCollections(part, source)
      let others = part.found.logins.filter { login in
        login.item.key.secretServiceItem != nil
          && login.original.map { $0.key.secretServiceItem == nil } ?? false
      }
      if !others.isEmpty {
        remarks.append(
          "\(source): \(Self.text(others.map(\.origin))): there twice, or with more than a login has room for; programs "
            + "find it as it was, and 'llavero get' doesn't")
      }
      remarks += remarksOnSettling(part, source)
      if let (origins, kinds) = Self.kinds(\.contradictions, in: part.found) {
        remarks.append(
          "\(source): \(Self.text(origins)): for the same login as an entry before, which says otherwise; kept with "
            + "that as further fields: \(kinds)")
      }
      if let (origins, kinds) = Self.kinds(\.leftBehind, in: part.found) {
        let (stay, their) = Set(origins).count == 1 ? ("stays", "its") : ("stay", "their")
        remarks.append(
          "\(source): \(Self.text(origins)) \(stay) there: a login has no room for \(their) \(kinds)")
      }
    }
    return remarks
  }

  /// The logins with remarks of a few words each, and these words, each once.
  private static func kinds(
    _ path: KeyPath<FoundLogin, [String]>, in found: FoundLogins
  ) -> (origins: [Origin], kinds: String)? {
    let logins = found.logins.filter { !$0[keyPath: path].isEmpty }
    if logins.isEmpty { return nil }
    var kinds: [String] = []
    for kind in logins.flatMap({ $0[keyPath: path] }) where !kinds.contains(kind) { kinds.append(kind) }
    return (logins.map(\.origin), kinds.joined(separator: ", "))
  }

  /// Notes on decisions about a source's logins.
  private func remarksOnSettling(_ part: Part, _ source: String) -> [String] {
    let found = part.found
    var remarks: [String] = []
    let withoutPath = zip(found.logins, part.outcomes).count { $0.isPathLeftOut && $1.isWritten }
    if withoutPath > 0 {
      let (it, its, answers) =
        withoutPath == 1 ? ("it", "its", "answers") : ("they", "their", "answer")
      remarks.append(
        "\(source): \(countText(withoutPath, "login")) had a path in \(its) address: "
          + "\(it) \(isRehearsal ? "would answer" : answers) for the whole server, as in browsers and password managers; "
          + "'--paths keep' makes \(withoutPath == 1 ? "it" : "them") answer for that path only")
    }
    for group in found.keptApart {
      let names = group.logins.map { terminalText("\($0.item.key.place)") }.joined(separator: " and ")
      remarks.append(
        "\(source): \(Self.text(group.logins.map(\.origin))) are the same login, \(terminalText(group.place)), with different "
          + "secrets, and nothing says which one is in use; kept apart as \(names)")
      let hint: Hint = """
        to use one of them, give \(commandOf: group.key.words(of: "add")) what \
        \(command: "llavero", "get", "--service", group.logins[0].item.key.place) prints
        """
      remarks.append("hint: \(terminalText(hint.description))")
    }
    if found.hasOthersOfPerson {
      remarks.append(
        "\(source): there is more in it than entries, such as a description or a folder without any; that stays there"
      )
    }
    if !found.bookkeeping.isEmpty {
      remarks.append(
        "\(source): of use to its program alone, and left out: \(found.bookkeeping.map { terminalText("\($0)") }.joined(separator: ", "))"
      )
    }
    return remarks
  }

  /// Whether a part of a source can't be read, so that nobody knows its contents.
  var isCutOff: Bool { parts.contains { $0.found.passedOver.contains { $0.reason == .cutOff } } }

  /// Notes on items that aren't removed because the keychain doesn't have all of them.
  static func remarks(
    onIncomplete logins: [(login: FoundLogin, lacking: [String])], of source: String
  ) -> [String] {
    grouped(logins).map { lacking, origins in
      "\(terminalText(source)): not removed, because the keychain lacks the \(lacking.joined(separator: " and the ")): "
        + text(origins)
    }
  }

  private static func grouped(
    _ logins: [(login: FoundLogin, lacking: [String])]
  ) -> [(lacking: [String], origins: [Origin])] {
    var groups: [(lacking: [String], origins: [Origin])] = []
    for (login, lacking) in logins {
      if let index = groups.firstIndex(where: { $0.lacking == lacking }) {
        groups[index].origins.append(login.origin)
      } else {
        groups.append((lacking, [login.origin]))
      }
    }
    return groups
  }

  /// Notes on items that stay because their service failed before they were deleted, or before confirming that.
  static func remarks(onNotDeleted logins: [FoundLogin], of source: String) -> [String] {
    if logins.isEmpty { return [] }
    return ["\(terminalText(source)): not known to be deleted: \(text(logins.map(\.origin)))"]
  }

  /// Notes on items that aren't removed because they have changed since they were read.
  static func remarks(onChanged logins: [FoundLogin], of source: String) -> [String] {
    if logins.isEmpty { return [] }
    return [
      "\(terminalText(source)): not removed, because changed meanwhile: \(text(logins.map(\.origin)))"
    ]
  }

  /// A note for each collection that the keychain doesn't have.
  private func remarksOnCollections(_ part: Part, _ source: String) -> [String] {
    var origins: [(collection: ByteString, origins: [Origin])] = []
    for (login, outcome) in zip(part.found.logins, part.outcomes) where outcome == .noCollection {
      let key = login.item.key.secretServiceItem
      let name = key?.kind == .collection ? key?.name : login.item.secretService.collection
      guard let name else { continue }
      let index = origins.firstIndex { $0.collection == name } ?? origins.count
      if index == origins.count { origins.append((name, [])) }
      if key?.kind != .collection { origins[index].origins.append(login.origin) }
    }
    return origins.map { collection, origins in
      // A service derives the name from a person's label of the collection.
      let record = part.found.logins.first {
        $0.item.key.secretServiceItem?.kind == .collection
          && $0.item.key.secretServiceItem?.name == collection
      }
      let name = terminalText("\(record?.item.label ?? collection)")
      let what = origins.isEmpty ? "" : ": \(Self.text(origins)) left out"
      // The source's author has chosen the label.
      let label = record?.item.label ?? collection
      let hint: Hint = "\(command: "llavero", "keychain", "create", label) makes it"
      return "\(source): the Secret Service has no collection \(name)\(what); \(hint)"
    }
  }

  /// How much of the sources did not come, whatever was decided; `nil` if everything did.
  func whatDidNotCome() -> String? {
    let items =
      count(.unusable) + count(.noCollection) + count(.lockedCollection) + count(.overtaken)
      + count(.unconfirmed)
    let collections = parts.reduce(0) { $0 + $1.found.passedOver.count { $0.reason == .locked } }
    var texts: [String] = []
    if items > 0 { texts.append(countText(items, "item")) }
    let curtailed = parts.reduce(0) { $0 + $1.found.logins.count { !$0.leftBehind.isEmpty } }
    if curtailed > 0 { texts.append("a part of \(countText(curtailed, "item"))") }
    if collections > 0 { texts.append("the items of \(countText(collections, "locked collection"))") }
    return texts.isEmpty ? nil : texts.joined(separator: " and ")
  }

  /// The text about skipped entries; `nil` if it comes together with others.
  private static func text(_ reason: PassedOver.Reason) -> String? {
    switch reason {
    case .malformed: "can't be understood"
    case .notText: "not UTF-8 text"
    case .cutOff: "cut off: a quote is never closed, or the file ends too early"
    case .disputed: "read differently by the programs that use such a file"
    case .addresses: "addresses that can't be told apart; export as JSON instead"
    case .noLogin: "no login"
    case .noSecret: "no password"
    case .renewed: "renewed by its program, which writes it there again"
    case .reference: "with a word that its program replaces by something else"
    case .notChosen: "for the same as the one that was chosen"
    case .noPlace: "no server"
    case .notInUse: "not in use there"
    case .discarded: "in the trash there"
    case .undecipherable: "can't be decrypted"
    case .locked: nil
    case .partOfRegistry: "for a part of a registry, which programs look for in this file alone"
    case .inURL: "with a password in a URL, which no import takes out"
    case .unknownSetting: "with a secret in a setting that no import takes out"
    }
  }

  /// The words for an outcome.
  private struct Words {
    /// In JSON.
    let name: StaticString
    /// In the table, and in the summary.
    let word, total: String
    /// Why such a login was left out; `nil` if it wasn't, or if that comes together with others.
    let leftOut: String?

    init(json name: StaticString, _ word: String, _ total: String, leftOut: String? = nil) {
      (self.name, self.word, self.total, self.leftOut) = (name, word, total, leftOut)
    }
  }

  /// What becomes of logins that differ isn't decided by a rehearsal, unless an option has decided it.
  private var totalOfKept: String {
    let isOne = count(.kept) == 1
    if !isRehearsal || policy == .keep { return "left as the keychain has \(isOne ? "it" : "them")" }
    let differ = isOne ? "differs" : "differ"
    return policy.asks ? "\(differ): you are asked, or '--on-conflict' decides" : differ
  }

  private func words(for outcome: Transfer.Outcome) -> Words {
    let planned = isRehearsal
    return switch outcome {
    case .added: Words(json: "added", planned ? "add" : "added", planned ? "to add" : "added")
    case .replaced:
      Words(json: "replaced", planned ? "replace" : "replaced", planned ? "to replace" : "replaced")
    case .completed:
      Words(json: "completed", planned ? "complete" : "completed", planned ? "to complete" : "completed")
    case .unchanged: Words(json: "unchanged", "there already", "there already")
    case .kept: Words(json: "kept", "differs", totalOfKept)
    case .repeated:
      Words(
        json: "repeated", "repeated", "named twice by the source with another secret, and left out",
        leftOut: "the same item came before, with another secret")
    case .unusable:
      Words(
        json: "unusable", "unusable", "that no keychain takes",
        leftOut: "too large for a keychain, or with a line break")
    case .noCollection: Words(json: "noCollection", "no collection", "of a collection that isn't there")
    case .lockedCollection:
      Words(
        json: "lockedCollection", "locked", "of a locked collection", leftOut: "in a locked collection")
    case .overtaken:
      Words(
        json: "overtaken", "changed meanwhile", "added or changed meanwhile by others",
        leftOut: "added to the keychain meanwhile with another secret, or changed there")
    case .unconfirmed: Words(json: "unconfirmed", "not known", "not known to be there")
    }
  }

  /// `lines 3, 17 and 40`
  static func text(_ origins: [Origin]) -> String {
    // A line can have several logins.
    var seen: Set<Origin> = []
    let names = origins.filter { seen.insert($0).inserted }.map { origin in
      switch origin {
      case .line(let number): "\(number)"
      case .lines(let numbers): "\(numbers.lowerBound) to \(numbers.upperBound)"
      case .machine(let name, let number): terminalText("\(number) (\(name))")
      // A title may be as long as a book.
      case .entry(let name): shortened(terminalText("\(name)"), to: 80)
      }
    }
    let shown = names.prefix(20)
    var text = shown.joined(separator: ", ")
    if shown.count > 1, shown.count == names.count {
      text = shown.dropLast().joined(separator: ", ") + " and " + shown[shown.count - 1]
    }
    if names.count > shown.count { text += " and \(names.count - shown.count) more" }
    if let first = origins.first, first.isLine {
      text = (names.count == 1 && !first.isRange ? "line " : "lines ") + text
    }
    return text
  }

  // MARK: For programs

  func report(isRemoved: Bool) -> JSONObject {
    let counts = Transfer.Outcome.allCases.map { outcome -> (StaticString, (any JSONConvertible)?) in
      (words(for: outcome).name, count(outcome))
    }
    let passedOver = parts.reduce(0) { $0 + $1.found.passedOver.count }
    return ["dryRun": isRehearsal] + JSONObject(counts)
      + ["passedOver": passedOver, "removed": isRemoved, "sources": parts.map(report)]
  }

  private func report(_ part: Part) -> JSONObject {
    let found = part.found
    return [
      "source": part.source,
      "items": part.outcomes.indices.map { report($0, of: part) },
      "passedOver": found.passedOver.map { passed in
        passed.origin.report + ["reason": passed.reason.rawValue]
      },
      "bookkeeping": found.bookkeeping.ifAny, "hasOthers": found.hasOthersOfPerson.ifTrue,
      "pathsLeftOut": found.pathsLeftOut > 0 ? found.pathsLeftOut : nil,
      "keptApart": found.keptApart.map { group in JSONObject { $0.attributes(of: Item(group.key)) } }.ifAny,
    ]
  }

  private func report(_ index: Int, of part: Part) -> JSONObject {
    let login = part.found.logins[index]
    return JSONObject { $0.attributes(of: login.item) } + login.origin.report + [
      "outcome": "\(words(for: part.outcomes[index]).name)", "leftBehind": login.leftBehind.ifAny,
      "contradictions": login.contradictions.ifAny, "lacking": part.contradictions[index]?.ifAny,
    ]
  }
}

extension Origin {
  fileprivate var report: JSONObject {
    switch self {
    case .line(let line): ["line": line]
    case .lines(let lines): ["line": lines.lowerBound, "lastLine": lines.upperBound]
    case .machine(let name, let line): ["line": line, "machine": name]
    case .entry(let name): ["entry": name]
    }
  }

  fileprivate var isLine: Bool {
    switch self {
    case .line, .lines, .machine: true
    case .entry: false
    }
  }

  fileprivate var isRange: Bool {
    if case .lines = self { true } else { false }
  }
}
