import ArgumentParser
import CredentialProtocols
import EncryptedFile
import Interchange
import Keychain
import KeychainChoice
import SignIn
import ToolCommands

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Show which item would answer, and why the others would not",
    discussion: """
      Asks as git would, with git's configuration for that URL, or as another tool would:

        llavero explain https://github.com/acme/app.git
        llavero explain https://registry.example.com --for docker

      Prints no secret. The exit status is 1 if nothing answers.
      """)

  @OptionGroup var place: PlaceOptions

  @Option(
    "Who asks: git (the default), \(RehearsedCall.tools.joined(separator: ", "))", value: "tool",
    name: .customLong("for"))
  var asker: String?

  @OptionGroup var names: NameOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if asker != nil, place.named.url == nil || place.named.domain != nil {
      throw ValidationError("--for goes with a URL, and not with --domain.")
    }
  }

  func run() throws(KeychainError) {
    // Report invalid arguments before the keychain is opened.
    try place.named.check()
    try asker.map(refuseUnusable(asker:))
    // This may replace the process with another program, so it comes before git is asked.
    let selection = self.keychain.selection
    let open = try selection.chooseOrExec().open()
    let keychain = open.keychain
    let remote = remote()
    if let remote, let refusal = remote.address.refusal {
      try write(ExplanationOutput(asker: "git", notes: remote.notes, explanations: []))
      throw refusal
    }
    let meant: Meant
    if let remote {
      meant = .place(remote.place)
    } else {
      meant = try MeantItem(in: open, isExact: names.exact, selection).meant(by: place.named)
    }
    let place = meant.placeToAsk
    let question = try question(about: place, remote)
    var explanations = try explanations(question, about: meant, open)
    var notes = question.notes
    if let other = askedAgain(question, explanations, open) {
      explanations.append(try keychain.explain(other) { question.takes($1) })
      if case .internetPassword(let asked) = other, let account = asked.account {
        notes.append("its tokens are kept for the name \(account), and answer for every name in a URL")
      }
    }
    if question.asker == "git", let winner = explanations.last?.winner, winner.key.leavesNameToGit {
      notes.append(
        "git gets no user name, and asks for one each time; give the item one with "
          + ShellCommand(["llavero", "update", winner.key.place, "--account", "", "--new-account", "NAME"])
          .inSentence)
    }
    var found = ExplanationOutput(asker: question.asker, notes: notes, explanations: explanations)
    if !found.hasAnswer, found.explanations.allSatisfy({ $0.renewal == nil }),
      case .query(.internetPassword(let asked), _, "git", _, nil) = question
    {
      found.signIn = try signIn(asked.key, open)
    }
    if case .query(.internetPassword(let asked), _, "git", _, nil) = question, asked.path == nil,
      isHTTP(asked.key), case .internetPassword(let named) = try place.key(), named.path != nil,
      let other = try answerWithPath(named, asked.account, question, keychain), other != found.winner
    {
      found.settingForPath = "credential.\(asked.key.readableURL).useHttpPath"
    }
    try write(found)
    if let refused = question.refused { throw refused }
    if !found.hasAnswer {
      try keychain.refusePassingOver()
      let hint: Hint? =
        if let expired = found.expired {
          expired.remedyForExpiry
        } else if let hidden = found.hidden {
          "\(commandOf: hidden.revealing) has it answer again"
        } else if let other = found.forAnotherPath {
          "\(commandOf: other.key.words(of: "update") + ["--new-path", ""] + self.keychain.words) has it answer for the whole server"
        } else if question.asker == "docker", let server = found.withoutPath {
          "docker asks for the host alone: \(commandOf: ["llavero", "explain", server, "--for", "docker"] + self.keychain.words)"
        } else if question.asker == "git", let imported = try toImport(for: place, keychain) {
          imported.hint
        } else if let deleted = deleted(at: place, open) {
          deleted
        } else if let other = found.forHTTPS {
          "did you mean \(prose: other.key.place)?"
        } else if open.choice.kind.isOfOtherMachine {
          try askingForPath(question, at: place)
        } else {
          try adding(question, at: place)
        }
      throw .failure("nothing would answer \(question.asker)", hint: hint, status: .nothingMatched)
    }
  }

  private func write(_ found: ExplanationOutput) throws(KeychainError) {
    try output.write(found.report, or: found.text(wrappedTo: TerminalStyle().width))
  }

  /// The item for a path that would answer git if it sent the path; `nil` if there is none.
  private func answerWithPath(
    _ named: InternetPassword, _ account: ByteString?, _ question: Question, _ keychain: any KeychainStore
  ) throws(KeychainError) -> Item? {
    var sent = insteadOf(named)?.place ?? named
    sent.account = account
    let query = try ItemQuery(for: .internetPassword(sent))
    guard let winner = try keychain.explain(query, where: { question.takes($1) }).winner, winner[.path] != nil
    else { return nil }
    return winner
  }

  /// Another program's login for the place.
  private func toImport(
    for place: NamedPlace, _ keychain: any KeychainStore
  ) throws(KeychainError) -> ItemToImport? {
    guard case .internetPassword(let asked) = try place.key() else { return nil }
    var criteria = ItemCriteria()
    criteria.omitsLocked = true
    return ItemToImport(for: asked, among: try keychain.items(matching: .criteria(criteria)))
  }

  /// How the item of the place comes back that was deleted last; `nil` if none was, or nobody can tell.
  private func deleted(at place: NamedPlace, _ open: OpenKeychain) -> Hint? {
    guard let query = try? place.query(), let found = try? open.retired(query) else { return nil }
    let deleted = found.filter { $0.reason == .deleted }
    guard let latest = deleted.first else { return nil }
    let key = latest.item.key
    let isAmongOthers = Set(deleted.map(\.item.key.primaryKey)).count > 1
    let words =
      isAmongOthers ? key.words(of: "undelete", isAmongOthers: true) : ["llavero", "undelete", key.place]
    let whose = key.account.nonEmpty.map { "\($0)'s" } ?? "one without an account"
    return """
      \(prose: whose) was deleted \(prose: dateText(latest.retired)); \(commandOf: words + self.keychain.words) brings it \
      back
      """
  }

  /// What helps where the other machine lists nothing for the place: a rule for a path allows nothing without that path.
  private func askingForPath(_ question: Question, at place: NamedPlace) throws(KeychainError) -> Hint {
    if case .query(.internetPassword(let asked), _, "git", _, _) = question, asked.path == nil,
      case .internetPassword(let named) = try place.key(), named.path != nil
    {
      return """
        git sends no path, and a rule may be for one; \
        \(command: "git", "config", "--global", "credential.useHttpPath", "true") has it sent
        """
    }
    return "see with \(command: "llavero", "get", place.parts.url) whether a rule for a path gives one"
  }

  /// How the asking program gets an item of the place.
  private func adding(_ question: Question, at place: NamedPlace) throws(KeychainError) -> Hint {
    switch question {
    case .query(.internetPassword(let asked), _, _, _, _):
      let words = Item.Key.internetPassword(asked.key).words(of: "add")
      return "add one with \(commandOf: words + keychain.words)"
    case .query:
      let words = try place.key().words(of: "add")
      return "add one with \(commandOf: words + keychain.words)"
    case .tool(let tool): return "see how to store one with \(command: "llavero", "help", tool.name)"
    }
  }

  private func refuseUnusable(asker: String) throws(KeychainError) {
    if asker == "git" { return }
    guard RehearsedCall.tools.contains(asker) else {
      throw .failure(
        "llavero can't tell how \(asker) asks for a URL",
        hint: "it can for git, \(prose: RehearsedCall.tools.joined(separator: ", "))", status: .usage)
    }
    if asker != "keyring", place.named.account != nil {
      throw .failure(
        "\(asker) asks for no account", hint: "leave --account out, or name it in the URL", status: .usage)
    }
  }

  // MARK: Questions

  private enum Question {
    /// A query, and the failure of the command if git doesn't ask llavero at all.
    case query(ItemQuery, takesHeaders: Bool, asker: String, notes: [String], refused: KeychainError? = nil)
    case tool(Tool)

    /// Who asks if it is a person.
    static let getting = "llavero get"

    var asker: String {
      switch self {
      case .query(_, _, let asker, _, _): asker
      case .tool(let tool): tool.name
      }
    }

    /// Whether the asking program can use a credential.
    func takes(_ credential: borrowing Credential) -> Bool {
      if case .query(_, takesHeaders: true, _, _, _) = self { return true }
      return credential.authenticationScheme == nil
    }

    var notes: [String] {
      if case .query(_, _, _, let notes, _) = self { notes } else { [] }
    }

    var refused: KeychainError? {
      if case .query(_, _, _, _, let refused) = self { refused } else { nil }
    }
  }

  /// The next question of git's helper, if it found nothing for a name in a URL, and that name means nothing there.
  private func askedAgain(
    _ question: Question, _ found: [AnswerExplanation], _ open: OpenKeychain
  ) -> ItemQuery? {
    guard case .query(let asked, _, _, _, nil) = question,
      found.allSatisfy({ $0.winner == nil && $0.renewal == nil })
    else { return nil }
    return open.underNameForAll(asked)
  }

  /// The sign-in by git's helper without an answer; `nil` if there is none.
  private func signIn(
    _ key: InternetPassword, _ open: OpenKeychain
  ) throws(KeychainError) -> ExplanationOutput.SignIn? {
    guard isHTTP(key), !open.choice.kind.isOfOtherMachine,
      let signingIn = SigningIn(stateFolder: open.location.stateFolder),
      let description = try signingIn.description(for: key, open.keychain)
    else { return nil }
    var kept = key
    kept.account = description.account ?? key.account
    kept.path = description.path
    return ExplanationOutput.SignIn(description: description, place: kept)
  }

  /// A remote of the repository in this folder, named in place of a URL.
  private struct Remote {
    /// With the remote's name for a URL.
    let named: NamedPlace
    let address: GitAddress

    var place: NamedPlace {
      var place = named
      place.url = address.text
      return place
    }

    var notes: [String] {
      ["git takes \(named.url ?? "") for \(address.shown)"] + (address.whyUnasked.map { [$0] } ?? [])
    }
  }

  /// The remote that was named; `nil` if git knows none of that name.
  private func remote() -> Remote? {
    guard asker == nil || asker == "git", place.named.domain == nil, let name = place.named.url,
      !name.hasPart("://"), !name.hasPart(" "), !ByteString(name).isAddressOfServer,
      let address = GitSettings.instead(of: name)
    else { return nil }
    return Remote(named: place.named, address: address)
  }

  private func question(about place: NamedPlace, _ remote: Remote?) throws(KeychainError) -> Question {
    let key = try place.key()
    // A place as lists print it names the tool, too.
    let printed = place.parts.tool.flatMap { RehearsedCall.tools.contains($0) ? $0 : nil }
    if let name = asker ?? printed, name != "git" {
      if let tool = Tool.named(name) { return .tool(tool) }
    }
    guard case .internetPassword(var asked) = key, asked.securityDomain == nil else {
      return .query(try place.query(), takesHeaders: true, asker: Question.getting, notes: [])
    }
    var notes = remote?.notes ?? []
    let instead = remote == nil ? insteadOf(asked) : nil
    if let instead { notes.append("git uses \(instead.shown) instead, as its insteadOf says") }
    let address = instead ?? GitAddress(asked.readableURL)
    if let refusal = address.refusal {
      notes += address.whyUnasked.map { [$0] } ?? []
      return .query(try place.query(), takesHeaders: true, asker: "git", notes: notes, refused: refusal)
    }
    asked = instead?.place ?? asked
    guard GitSettings.isInstalled else {
      asked.path = isHTTP(asked) ? nil : asked.path
      let query = try ItemQuery(for: .internetPassword(asked))
      return .query(
        query, takesHeaders: true, asker: "git",
        notes: ["git is not installed here; this is how it would ask with no configuration"])
    }
    let settings = GitSettings.forPlace(asked)
    if asked.account == nil, let account = settings.account {
      asked.account = account
      notes.append("git asks for the account \(account), as its credential.username says for this URL")
    }
    if asked.path != nil, isHTTP(asked), !settings.usesPath {
      asked.path = nil
    } else if asked.path == nil, isHTTP(asked), settings.usesPath {
      notes.append("git sends the path, as its credential.useHttpPath says, and this URL has none")
    }
    let chain = settings.entries.map { GitHelperChain(url: asked.readableURL, $0) }
    notes +=
      chain.map(self.notes(on:)) ?? ["git can't read its configuration; this is how it would ask without one"]
    let query = try ItemQuery(for: .internetPassword(asked))
    return .query(
      query, takesHeaders: GitSettings.takesHeaders, asker: "git", notes: notes, refused: chain?.refusal)
  }

  /// The address that git's settings put in place of this one; `nil` if there is none.
  private func insteadOf(_ asked: InternetPassword) -> GitAddress? {
    asked.url(withAccount: true).flatMap { GitSettings.instead(of: $0) }
  }

  /// Notes on the helpers that git asks, if llavero isn't the first: those before it answer in its place.
  private func notes(on chain: GitHelperChain) -> [String] {
    if let forgotten = chain.forgotten {
      let place = withTilde(forgotten.by.place)
      return ["git forgets llavero for this URL, by the empty \(forgotten.by.key) in \(place)"]
        + (chain.asked.isEmpty
          ? [] : ["git asks \(chain.asked.map(\.value).joined(separator: ", then ")) there"])
    }
    guard let own = chain.asked.firstIndex(where: \.isLlavero) else {
      return chain.asked.isEmpty
        ? ["git asks no helper there"]
        : ["git asks \(chain.asked.map(\.value).joined(separator: ", then ")) there, and not llavero"]
    }
    if own == 0 { return [] }
    return [
      "git asks \(chain.asked[..<own].map(\.value).joined(separator: ", then ")) first, and llavero only if there is "
        + "no answer"
    ]
  }

  private func isHTTP(_ key: InternetPassword) -> Bool {
    ["https", "http"].contains(key.protocol.lowercased)
  }

  private func explanations(
    _ question: Question, about meant: Meant, _ open: OpenKeychain
  ) throws(KeychainError) -> [AnswerExplanation] {
    let keychain = open.keychain
    let place = meant.placeToAsk
    switch question {
    case .query(_, _, _, _, .some): return []
    case .query(let query, _, let asker, _, nil):
      if asker == Question.getting, case .item(let item) = meant {
        return [try keychain.explain(item, askedBy: query) { question.takes($0) }]
      }
      return [try keychain.explain(query) { question.takes($1) }]
    case .tool(let tool):
      // The URL as given: each tool interprets it in its own way.
      let url = ByteString(place.parts.url)
      let call = try RehearsedCall(
        tool, url: url, account: place.account.map { ByteString($0) }, keychain
      ) {
        NameForAll.find(for: $0, in: open, isTakenOver: $1)
      }
      guard let call else { return [] }
      do throws(KeychainError) {
        try call.rehearse()
      } catch {
        // An error of the tool's protocol after a query is part of the answer. An error of the keychain is not.
        if call.explanations.isEmpty || !error.isOfRequest { throw error }
        StandardStreams.say("\(error.message)")
      }
      return call.explanations
    }
  }
}

extension Meant {
  /// The place that git and other tools ask for: they know of no chosen item.
  fileprivate var placeToAsk: NamedPlace {
    switch self {
    case .place(let place): place
    case .item(let item): NamedPlace(at: item.key, account: item.key.account.map { "\($0)" })
    }
  }
}

extension GitHelperChain {
  /// The failure if git doesn't ask llavero for this place; `nil` if it does.
  fileprivate var refusal: KeychainError? {
    if asked.contains(where: \.isLlavero) { return nil }
    return .failure(
      "git would not ask llavero for \(url ?? "this URL")", hint: remedy, status: .nothingMatched)
  }
}
