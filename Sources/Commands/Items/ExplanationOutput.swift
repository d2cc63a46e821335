import Bytes
import Keychain
import SignIn
import ToolCommands

struct ExplanationOutput {
  /// Git, another tool, or `llavero get`.
  let asker: String
  /// Notes on how it asks.
  let notes: [String]
  /// Its queries, up to the one that is answered.
  let explanations: [AnswerExplanation]

  /// The setting by which git would send the path of the URL, if it leaves that out and another item answered with it.
  var settingForPath: String?

  /// The sign-in by git's helper if nothing answers.
  var signIn: SignIn?

  struct SignIn {
    let description: SignInDescription
    /// The place of the new token.
    let place: InternetPassword
  }

  /// The best item that would answer if it hadn't expired.
  var expired: Item? {
    explanations.lazy.flatMap(\.candidates).first { candidate in
      if case .passedOver(.expired) = candidate.verdict { true } else { false }
    }?.item
  }

  /// The best item that would answer if it weren't hidden on this machine.
  var hidden: HiddenLogin? {
    explanations.lazy.flatMap(\.candidates).first { $0.verdict == .passedOver(.hidden) }
      .flatMap { HiddenLogin($0.item) }
  }

  /// The only item that is for another path of the server, and would answer without that path.
  var forAnotherPath: Item? {
    // These take only what is for that very path.
    if ["docker", "cargo"].contains(asker) { return nil }
    let found = explanations.last?.candidates.filter { $0.verdict == .differs([.attribute(.path)]) } ?? []
    return found.count == 1 ? found.first?.item : nil
  }

  /// The server alone, if it has an item that a tool passes over because it asks for a path.
  var withoutPath: String? {
    for explanation in explanations {
      guard case .internetPassword(let asked) = explanation.query, asked.path != nil else { continue }
      let isThere = explanation.candidates.contains {
        $0.verdict == .passedOver(.unusable(scheme: nil)) && $0.item[.path] == nil
          && $0.item.key.account != nil
      }
      if isThere {
        return InternetPassword(protocol: asked.protocol, server: asked.server, port: asked.port).readableURL
      }
    }
    return nil
  }

  /// An item that would answer for https, where http is asked for.
  var forHTTPS: Item? {
    for explanation in explanations {
      guard case .internetPassword(let asked) = explanation.query, asked.protocol.lowercased == "http" else {
        continue
      }
      let found = explanation.candidates.first { candidate in
        guard case .differs(let differences) = candidate.verdict,
          case .internetPassword(let key) = candidate.item.key
        else { return false }
        return key.protocol.lowercased == "https" && key.port == asked.port
          && differences.allSatisfy { [.attribute(.protocol), .attribute(.port)].contains($0) }
      }
      if let found { return found.item }
    }
    return nil
  }

  var winner: Item? { explanations.last?.winner }
  var hasAnswer: Bool { winner != nil }

  // MARK: For people

  /// - Parameter width: the number of the terminal's columns; `nil` leaves each sentence on a line.
  func text(wrappedTo width: Int?) -> TextForTerminal {
    var text: TextForTerminal = ""
    let said = notes.reduce(into: "" as TextForTerminal) { $0 += paragraph($1, wrappedTo: width) }
    if explanations.isEmpty { text += said }
    for (step, explanation) in explanations.enumerated() {
      if step > 0 { text += "\n" }
      let then = step > 0 ? " then" : ""
      text += paragraph(
        "\(asker) asks\(then) for \(whose(step))\(asked(explanation.query))", wrappedTo: width)
      if step == 0 { text += said }
      if explanation.candidates.isEmpty {
        let why = "nothing, because the keychain has no item of that \(subject(explanation.query))"
        text += columns([["", why]], wrappedTo: width)
        continue
      }
      text += columns(
        explanation.candidates.map { candidate in
          [
            candidate.verdict == .answers ? "  answers" : "  not",
            candidate.item.key.name + (candidate.item.keychain.map { " in \($0)" } ?? ""),
            reason(candidate, step),
          ]
        }, wrappedTo: width)
    }
    if let unsent = unsentPath {
      text += paragraph(unsent.sentence, wrappedTo: width)
      text += "  \(unsent.command)\n"
    }
    if let signIn { text += "\n" + self.text(signIn, wrappedTo: width) }
    return text
  }

  /// Why an item with a path doesn't answer, and the command that changes it; `nil` if there is no such item.
  private var unsentPath: (sentence: String, command: ShellCommand)? {
    settingForPath.map { setting in
      (
        "git sends no path there, so items without a path come first; to have it sent:",
        ShellCommand(["git", "config", "--global", setting, "true"])
      )
    }
  }

  private func text(_ signIn: SignIn, wrappedTo width: Int?) -> TextForTerminal {
    let description = signIn.description
    let place = description.service.map { "\($0) (\(description.server))" } ?? description.server
    if let forbidden = description.forbidden {
      return paragraph(
        "git would not have you sign in at \(place): \(forbidden) forbids it", wrappedTo: width)
    }
    let way =
      switch description.way {
      case .browser: "with your browser"
      case .device: "with a code"
      case .paste: "and paste the address at which the browser ends"
      }
    let client = description.setting.map { "the client is that of \($0)" } ?? "the client is known"
    let kept = Item.Key.internetPassword(signIn.place).name
    return paragraph("git would have you sign in at \(place) \(way); \(client)", wrappedTo: width)
      + paragraph("the token would be kept as \(kept)", wrappedTo: width)
  }

  /// Whose login is asked for, where a tool asks twice for one place: first for its own, then for git's.
  private func whose(_ step: Int) -> String {
    let text = asked(explanations[step].query)
    if asksAgain(step) { return "its own login for " }
    return explanations[..<step].contains { asked($0.query) == text } ? "git's login for " : ""
  }

  /// Whether the tool asks for the same place once more.
  private func asksAgain(_ step: Int) -> Bool {
    let text = asked(explanations[step].query)
    return explanations[(step + 1)...].contains { asked($0.query) == text }
  }

  private func subject(_ query: ItemQuery) -> String {
    if case .genericPassword = query { "service" } else { "server" }
  }

  private func asked(_ query: ItemQuery) -> String {
    switch query {
    case .internetPassword(let query):
      let key = InternetPassword(
        protocol: query.protocol, server: query.server, port: query.port, path: query.path)
      let place = Item.Key.internetPassword(key).place
      return query.account.map { "\(place), account \($0)" } ?? "\(place), any account"
    case .genericPassword(let query):
      return query.account.map { "the service \(query.service), account \($0)" }
        ?? "the service \(query.service), any account"
    case .criteria, .all: return "everything"
    }
  }

  private func reason(_ candidate: AnswerExplanation.Candidate, _ step: Int) -> String {
    let explanation = explanations[step]
    switch candidate.verdict {
    case .answers: return whyItAnswers(explanation)
    case .ranksLower(.path):
      if let path = candidate.item[.path], case .internetPassword(let query) = explanation.query,
        query.path == nil
      {
        return "it is for the path \(path), and \(asker == "git" ? "git sends none" : "none is asked for")"
      }
      return lower(.path)
    case .ranksLower(let rule): return lower(rule)
    case .passedOver(.unusable(nil)) where asksAgain(step) && candidate.item[.securityDomain] == nil:
      return "it is git's; \(asker) asks for that next"
    case .passedOver(let obstacle):
      let why = passedOver(obstacle, candidate.item, explanation.query)
      if candidate.item == explanation.renewed, explanation.winner != nil {
        return "\(why); llavero gets a new token for it first, and the next answers if there is none"
      }
      return isRenewed(candidate, explanation)
        ? "\(why); git gets its account and refresh token, without the password, for the next helper" : why
    case .differs(let differences):
      return differences.compactMap { difference($0, candidate.item, explanation.query, differences) }
        .joined(separator: "; ")
    }
  }

  /// Whether git gets the item's refresh token, to obtain a new secret.
  private func isRenewed(
    _ candidate: AnswerExplanation.Candidate, _ explanation: AnswerExplanation
  ) -> Bool { asker == "git" && explanation.renewal == candidate.item }

  private func whyItAnswers(_ explanation: AnswerExplanation) -> String {
    let others = explanation.candidates.compactMap { candidate -> RankingRule? in
      if case .ranksLower(let rule) = candidate.verdict { rule } else { nil }
    }
    guard let next = others.first else {
      if explanation.winner?[.path] != nil, case .internetPassword(let query) = explanation.query,
        query.path == nil
      {
        return "\(asker == "git" ? "git sends no path" : "no path is asked for"), so its path isn't compared"
      }
      let isFirst = explanation.candidates.first?.verdict == .answers
      return isFirst ? "no other item matches" : "no other item that matches can be used"
    }
    switch next {
    case .keychain: return "its keychain comes first of those that have one"
    case .ownItem: return "\(asker) stored it for itself"
    case .path:
      if case .internetPassword(let query) = explanation.query, query.path == nil {
        return "it is for the whole server, and no path is asked for"
      }
      return "its path is the longest that matches"
    case .isDefault: return "it was made the default"
    case .modified: return "of those that match it was changed last"
    case .created: return "of those that match it was added last"
    case .order: return "of those that match the keychain has it first"
    }
  }

  private func lower(_ rule: RankingRule) -> String {
    let why =
      switch rule {
      case .keychain: "the other item's keychain comes first"
      case .ownItem: "the other item is \(asker)'s own"
      case .path: "the other item's path matches better"
      case .isDefault: "the other item is the default"
      case .modified: "the other item was changed later"
      case .created: "the other item was added later"
      case .order: "the keychain has the other item first"
      }
    return "it matches, but \(why)"
  }

  /// Why a tool doesn't take an item that matches.
  private func whyUnusable(_ item: Item, _ query: ItemQuery) -> String {
    if item[.securityDomain] == ByteString(asker), case .internetPassword(let asked) = query,
      item[.path] != asked.path
    {
      let place = item[.path].map { "the path \($0)" } ?? "the whole server"
      return "it is for \(place), and \(asker) asks for \(asked.path.map { "the path \($0)" } ?? "no path")"
    }
    if item.key.account == nil, ["docker", "keyring"].contains(asker) {
      return "it has no account, and \(asker) needs one"
    }
    return "\(asker) can't use it: it takes only its own logins there, or those of its kind"
  }

  private func passedOver(
    _ obstacle: AnswerExplanation.Obstacle, _ item: Item, _ query: ItemQuery
  ) -> String {
    switch obstacle {
    case .expired(...1) where item.isMinted:
      // It was set up, and nobody has asked for one.
      return "it has no token yet"
    case .expired(let second):
      return "it has expired, at \(dateText(Timestamp(seconds: second)))"
    case .noPassword: return "it has no password, only one-time codes or hidden fields"
    case .unusable(let scheme?):
      return "it is a ready-made \(scheme) header, which \(asker) can't take"
    case .unusable(nil): return whyUnusable(item, query)
    case .deleted: return "it has just been deleted"
    case .negative: return "it says that no password is to be kept for this"
    case .hidden:
      let reveal = HiddenLogin.revealing([item], in: item.keychain ?? "")
      return "a server has refused it here; it is hidden on this machine until it changes, or until "
        + ShellCommand(reveal).inSentence
    }
  }

  private func difference(
    _ difference: ItemDifference, _ item: Item, _ query: ItemQuery, _ all: [ItemDifference]
  ) -> String? {
    guard case .internetPassword(let key) = item.key, case .internetPassword(let query) = query else {
      switch difference {
      case .attribute(.account): return accountDiffers(item)
      case .itemClass: return "it is of another class"
      default: return "it is for another service"
      }
    }
    switch difference {
    case .attribute(.protocol):
      return key.protocol.isEmpty
        ? "it is for no protocol" : "it is for \(key.protocol), which never answers for \(query.protocol)"
    case .attribute(.server): return "it is for another server"
    case .attribute(.port):
      // This follows from the protocol.
      if key.port == nil, query.port == nil { return nil }
      return key.effectivePort.map { "it is for port \($0)" } ?? "it is for no port"
    case .attribute(.path): return "its path is neither that one nor one above it"
    case .attribute(.account): return accountDiffers(item)
    case .attribute(.securityDomain): return key.securityDomain.map { "it is for \($0)" }
    default: return nil
    }
  }

  private func accountDiffers(_ item: Item) -> String {
    item.key.account.map { "it is for the account \($0)" } ?? "it has no account"
  }

  // MARK: For programs

  var report: JSONObject {
    [
      "for": asker, "answers": hasAnswer,
      "notes": notes + (unsentPath.map { ["\($0.sentence) \($0.command)"] } ?? []),
      "queries": explanations.indices.map(report),
      "signIn": signIn.map { signIn in JSONObject { $0.members(of: signIn.description) } },
    ]
  }

  private func report(_ step: Int) -> JSONObject {
    let explanation = explanations[step]
    let asked = explanation.query.key
    return [
      "asked": JSONObject { json in if let asked { json.attributes(of: Item(asked)) } },
      "items": explanation.candidates.map { report($0, step) },
    ]
  }

  private func report(_ candidate: AnswerExplanation.Candidate, _ step: Int) -> JSONObject {
    let renewable = isRenewed(candidate, explanations[step]) ? ["renewable"] : []
    return candidate.item.report + [
      "verdict": candidate.verdict.name, "reasons": candidate.verdict.reasonNames + renewable,
      "explanation": reason(candidate, step),
    ]
  }
}

extension AnswerExplanation.Verdict {
  fileprivate var name: String {
    switch self {
    case .answers: "answers"
    case .ranksLower: "ranks-lower"
    case .passedOver: "passed-over"
    case .differs: "differs"
    }
  }

  fileprivate var reasonNames: [String] {
    switch self {
    case .answers: []
    case .ranksLower(let rule):
      switch rule {
      case .keychain: ["keychain"]
      case .ownItem: ["own-item"]
      case .path: ["path"]
      case .isDefault: ["default"]
      case .modified: ["modified"]
      case .created: ["created"]
      case .order: ["order"]
      }
    case .passedOver(.expired): ["expired"]
    case .passedOver(.noPassword): ["no-password"]
    case .passedOver(.unusable): ["unusable"]
    case .passedOver(.deleted): ["deleted"]
    case .passedOver(.negative): ["negative"]
    case .passedOver(.hidden): ["hidden"]
    case .differs(let differences):
      differences.map { difference in
        switch difference {
        case .itemClass: "class"
        case .attribute(let attribute): "\(attribute.jsonName)"
        case .attributes: "attributes"
        }
      }
    }
  }
}
