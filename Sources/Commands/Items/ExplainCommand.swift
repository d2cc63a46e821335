import ArgumentParser
import CredentialProtocols
import Keychain
import KeychainChoice
import Terminals
import ToolCommands

/// `llavero explain`
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
    name: .customLong("for"),
    help: ArgumentHelp(
      "Who asks: git (the default), \(RehearsedCall.tools.joined(separator: ", "))", valueName: "tool"))
  var asker: String?

  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if asker != nil, place.service != nil || place.domain != nil {
      throw ValidationError("--for goes with a URL, and not with --domain.")
    }
  }

  func run() throws {
    // Report arguments that can't be understood before the keychain is opened.
    let key = try place.key()
    // This may replace the process with another program, so it comes before git is asked.
    let selected = try self.keychain.selection.choose()
    let question = try question(key)
    let keychain = try selected.open().keychain
    let explanations = try explanations(question, keychain)
    let found = ExplanationOutput(asker: question.asker, notes: question.notes, explanations: explanations)
    try StandardStreams.write(output.json ? found.json() : Secret(found.text().shown))
    if !found.hasAnswer {
      try explaining(keychain.refusePassingOver())
      let hint: Hint? =
        if let expired = found.expired { expired.remedyForExpiry } else { "add one with 'llavero add'" }
      throw Failure("nothing would answer \(question.asker)", hint: hint, status: .nothingMatched)
    }
  }

  // MARK: Questions

  private enum Question {
    case query(ItemQuery, takesHeaders: Bool, asker: String, notes: [String])
    case tool(Tool)

    var asker: String {
      switch self {
      case .query(_, _, let asker, _): asker
      case .tool(let tool): tool.name
      }
    }

    var notes: [String] {
      if case .query(_, _, _, let notes) = self { notes } else { [] }
    }
  }

  private func question(_ key: Item.Key) throws(Failure) -> Question {
    if let name = asker, name != "git" {
      guard let tool = Tool.named(name), RehearsedCall.tools.contains(name) else {
        throw Failure(
          "llavero can't tell how \(name) asks for a URL",
          hint: "it can for git, \(prose: RehearsedCall.tools.joined(separator: ", "))", status: .usage)
      }
      if case .internetPassword(let key) = key, key.account != nil, name != "keyring", place.account != nil {
        throw Failure(
          "\(name) asks for no account", hint: "leave --account out, or name it in the URL", status: .usage)
      }
      return .tool(tool)
    }
    guard case .internetPassword(var asked) = key, place.domain == nil else {
      return .query(try place.query(), takesHeaders: true, asker: "llavero get", notes: [])
    }
    var notes: [String] = []
    guard GitSettings.isInstalled else {
      asked.path = isHTTP(asked) ? nil : asked.path
      let query = try explaining(ItemQuery(for: .internetPassword(asked)))
      return .query(
        query, takesHeaders: true, asker: "git",
        notes: ["git is not installed here; this is how it would ask with no configuration"])
    }
    let settings = GitSettings.forURL(Item.Key.internetPassword(asked).urlForGit)
    if asked.account == nil, let account = settings.account {
      asked.account = account
      notes.append("git asks for the account \(account), as its credential.username says for this URL")
    }
    if let path = asked.path, isHTTP(asked), !settings.usesPath {
      asked.path = nil
      notes.append(
        "git does not send the path \(path), because its credential.useHttpPath is not true for this URL: an item "
          + "with a path answers only where none without one does; change that with 'git config --global "
          + "credential.\(Item.Key.internetPassword(asked).withoutAccount.urlForGit).useHttpPath true'")
    } else if asked.path == nil, isHTTP(asked), settings.usesPath {
      notes.append("git sends the path, as its credential.useHttpPath says, and this URL has none")
    }
    let query = try explaining(ItemQuery(for: .internetPassword(asked)))
    return .query(query, takesHeaders: GitSettings.takesHeaders, asker: "git", notes: notes)
  }

  private func isHTTP(_ key: InternetPassword) -> Bool {
    ["https", "http"].contains(key.protocol.lowercased)
  }

  private func explanations(
    _ question: Question, _ keychain: any KeychainStore
  ) throws(Failure) -> [AnswerExplanation] {
    switch question {
    case .query(let query, let takesHeaders, _, _):
      return [
        try explaining(keychain.explain(query) { takesHeaders || $1.authenticationScheme == nil })
      ]
    case .tool(let tool):
      // The URL as it was given: each tool interprets it in its own way.
      let url = ByteString(place.url ?? "")
      let call = try explaining(
        call: RehearsedCall(tool, url: url, account: place.account.map { ByteString($0) }, keychain))
      guard let call else { return [] }
      do throws(ProtocolError) {
        try call.rehearse()
      } catch {
        // An error of the tool's protocol after a query is part of the answer. An error of the keychain is not.
        if call.explanations.isEmpty { throw Failure(error) }
        if case .keychain = error { throw Failure(error) }
        StandardStreams.say("\(Failure(error).message)")
      }
      return call.explanations
    }
  }
}

extension Item.Key {
  /// The place as a URL that git's configuration can be queried for.
  fileprivate var urlForGit: String {
    guard case .internetPassword(let key) = self else { return "" }
    var text = "\(key.protocol)://"
    if let account = key.account { text += PercentEncoding.text(account) + "@" }
    if let server = key.server {
      text += server.bytes.contains(UInt8(ascii: ":")) ? "[\(server)]" : PercentEncoding.text(server)
    }
    if let port = key.port { text += ":\(port)" }
    if let path = key.path { text += "/" + PercentEncoding.text(path, keeping: "/") }
    return text
  }

  fileprivate var withoutAccount: Item.Key {
    guard case .internetPassword(var key) = self else { return self }
    key.account = nil
    return .internetPassword(key)
  }
}
