import ArgumentParser
import Bytes
import CredentialProtocols
import EncryptedFile
import Interchange
import Keychain
import KeychainChoice
import ToolCommands

/// The completions of a command line's last word.
struct Completions {
  /// The shell's own offers besides the candidates.
  enum Others: String {
    case nothing
    case files
    case folders
    /// A program and its arguments, after the first `--`.
    case program
  }

  private(set) var candidates: [CompletionCandidate] = []
  private(set) var others = Others.nothing

  /// - Parameter words: the unquoted command line from the program's name to the cursor.
  init(for words: [String]) {
    guard words.count > 1, let program = words[0].split(separator: "/").last else { return }
    let arguments = Array(words.dropFirst())
    if program == ProgramLinks.git[...] {
      completeGit(arguments)
    } else if let tool = Tool.called(program) {
      complete(tool, arguments)
    } else if arguments.count == 1 {
      completeCommand(arguments[0])
    } else if arguments[0] == "git-credential" {
      completeGit(Array(arguments.dropFirst()))
    } else if arguments[0] == "run" {
      completeRun(Array(arguments.dropFirst()))
    } else if arguments[0] == InjectCommand.name {
      completeInject(Array(arguments.dropFirst()))
    } else if let tool = Tool.named(arguments[0]) {
      complete(tool, Array(arguments.dropFirst()))
    } else if arguments[0] == "help" {
      completeHelp(Array(arguments.dropFirst()))
    } else {
      complete(arguments)
    }
  }

  // MARK: Commands

  /// Those of people come first, in the order of the overview, and last what only tools call.
  private mutating func completeCommand(_ typed: String) {
    if typed.hasPrefix("-") {
      candidates = [CompletionCandidate("--help"), CompletionCandidate("--version")]
      return
    }
    offerCommands(of: LlaveroCommand.self)
    candidates.append(CompletionCandidate("help", "Explain a command, a topic or a tool"))
    for tool in Tool.all {
      candidates.append(CompletionCandidate(tool.name, "Speak \(tool.name)'s protocol"))
    }
  }

  private mutating func offerCommands(of command: any ParsableCommand.Type) {
    for subcommand in command.configuration.subcommands where subcommand.configuration.shouldDisplay {
      candidates.append(
        CompletionCandidate(
          subcommand._commandName, CommandArguments.line(subcommand.configuration.abstract)))
    }
  }

  private mutating func completeHelp(_ arguments: [String]) {
    if arguments.count == 1 {
      candidates = HelpTopic.all.map { CompletionCandidate($0.name, $0.summary) }
      candidates += HelpTopic.toolNames.map { CompletionCandidate($0, "What to type for \($0)") }
      candidates += Tool.all.filter { !HelpTopic.toolNames.contains($0.name) }.map {
        CompletionCandidate($0.name, "Speak \($0.name)'s protocol")
      }
    }
    var command: any ParsableCommand.Type = LlaveroCommand.self
    for name in arguments.dropLast() {
      guard let next = command.configuration.subcommands.first(where: { $0._commandName == name }) else {
        return
      }
      command = next
    }
    offerCommands(of: command)
  }

  private mutating func complete(_ arguments: [String]) {
    var command: any ParsableCommand.Type = LlaveroCommand.self
    var path: [String] = []
    while path.count < arguments.count - 1,
      let next = command.configuration.subcommands.first(where: { $0._commandName == arguments[path.count] })
    {
      command = next
      path.append(arguments[path.count])
    }
    if path.isEmpty { return }
    let words = Array(arguments.dropFirst(path.count))
    if !command.configuration.subcommands.isEmpty, words.count == 1, !words[0].hasPrefix("-") {
      return offerCommands(of: command)
    }
    complete(words, of: path, CommandArguments(of: command))
  }

  private mutating func complete(_ words: [String], of path: [String], _ known: CommandArguments) {
    var line = TypedLine()
    line.read(words.dropLast(), known)
    let typed = words.last ?? ""
    if let option = line.awaitsValue {
      return offerValues(of: option.argument, option.name, typed, "", path, line)
    }
    if line.isPastTerminator {
      if known.operands.last?.valueName == "program" { others = .program }
    } else if typed.hasPrefix("--"), let equals = typed.firstIndex(of: "=") {
      let name = String(typed[..<equals])
      guard let option = known.option(name), option.kind == .option else { return }
      let value = String(typed[typed.index(after: equals)...])
      return offerValues(of: option, name, value, name + "=", path, line)
    } else if typed.hasPrefix("-") {
      return offerOptions(of: known, line)
    }
    let operands = known.operands
    if let operand = operands.indices.contains(line.operands.count)
      ? operands[line.operands.count] : operands.last,
      line.operands.count < operands.count || operand.isRepeating
    {
      offerValues(of: operand, nil, typed, "", path, line)
    } else if typed.isEmpty {
      offerOptions(of: known, line)
    }
  }

  private mutating func offerOptions(of known: CommandArguments, _ line: TypedLine) {
    for argument in known.all where argument.kind != .positional {
      if !argument.isRepeating, argument.names.contains(where: line.options.contains) { continue }
      // Long names explain themselves.
      guard let name = argument.names.first(where: { $0.hasPrefix("--") }) ?? argument.names.first else {
        continue
      }
      candidates.append(CompletionCandidate(name, argument.summary))
    }
  }

  // MARK: Values

  /// - Parameters:
  ///   - name: the name of the option; `nil` for an operand.
  ///   - prefix: the text before the value in the same word.
  private mutating func offerValues(
    of argument: CommandArguments.Argument, _ name: String?, _ typed: String, _ prefix: String,
    _ path: [String],
    _ line: TypedLine
  ) {
    func offer(_ texts: [String]) { candidates += texts.map { CompletionCandidate(prefix + $0) } }
    if !argument.values.isEmpty { return offer(argument.values) }
    switch (path.joined(separator: " "), name, argument.valueName) {
    case (_, "--keychain", _), ("migrate", _, "name"), ("keychain use", nil, "name"),
      ("keychain order", nil, "name"):
      offer(Self.keychains(listed: true, builtIn: true))
    case ("keychain remove", nil, "name"), ("sync", nil, "name"), ("keychain reveal", nil, "name"),
      ("keychain member add", nil, "name"), ("keychain member list", nil, "name"),
      ("keychain member remove", nil, "name"):
      offer(Self.keychains(listed: true, builtIn: false))
    case ("keychain add", nil, "kind"): offer(KeychainKind.allCases.filter(\.canBeListed).map(\.rawValue))
    case ("explain", "--for", _): offer(["git"] + RehearsedCall.tools)
    case (_, "--tool", _): offer(Tool.all.map(\.name))
    case (_, "--session", _): offer(["encrypted", "plain"])
    case ("import", nil, "kind"):
      candidates += ImportKind.all.map { CompletionCandidate($0.name, CommandArguments.line($0.summary)) }
    case ("export", "--format", _):
      candidates += ExportFormat.all.map {
        CompletionCandidate(prefix + $0.name, CommandArguments.line($0.summary))
      }
    case ("setup", nil, "tool"):
      candidates += ToolSetup.names.map { name, setup in
        CompletionCandidate(name, name == setup.name ? "" : "Set up \(setup.name)")
      }
    case ("link", nil, "name"): offer(ProgramLinks.all + ProgramLinks.standIns)
    case (_, nil, "operation"): offer(Self.gitOperations)
    case (_, nil, "url"): candidates += items(line, except: "url").urls(beginning: typed)
    case ("add", "--label", _), ("update", "--label", _): break
    case (_, let name?, _) where ItemCompletions.attribute(of: name) != nil:
      guard let attribute = ItemCompletions.attribute(of: name) else { return }
      var values = items(line, except: name).values(of: attribute, isPattern: argument.valueName == "pattern")
        .map(\.text)
      if argument.valueName == "tool" { values = Set(values + Tool.all.map(\.name)).sorted() }
      offer(values)
    case (_, _, "file"): others = .files
    case (_, _, "folder"): others = .folders
    default: break
    }
  }

  private static func keychains(listed: Bool, builtIn: Bool) -> [String] {
    let location = try? VaultLocation()
    let list = location.flatMap { try? KeychainList.read(in: $0.stateFolder) } ?? KeychainList()
    let own = builtIn ? KeychainKind.builtInNames : []
    return own + list.keychains.map(\.name).filter { !own.contains($0) }
  }

  /// The items that match the words typed so far.
  ///
  /// - Parameter name: the option being typed, which is ignored.
  private func items(_ line: TypedLine, except name: String) -> ItemCompletions {
    var selection = KeychainSelection()
    selection.name = line.value("--keychain")
    selection.collection = line.value("--collection")
    return ItemCompletions(in: selection, where: line.filter(except: name))
  }

  // MARK: Commands without an ArgumentParser description

  private static let gitOperations = ["get", "store", "erase", "capability"]

  private mutating func completeGit(_ arguments: [String]) {
    complete(
      arguments, of: ["git-credential"],
      CommandArguments(
        options: CommandArguments.general + [("--timeout", "seconds")], operands: ["operation"]))
  }

  private mutating func complete(_ tool: Tool, _ arguments: [String]) {
    let own = tool.speaks.options.map { ($0.name, $0.takesValue ? "name" : nil) }
    // For a tool's options, nobody knows which are repeatable.
    let known = CommandArguments(
      options: own + CommandArguments.general, repeatable: Set(tool.speaks.options.map(\.name)), operands: [])
    if tool.name == "aws", arguments.dropLast().last == "--profile" {
      candidates = items(TypedLine(), except: "").services(after: "aws:")
    } else {
      complete(arguments, of: [tool.name], known)
    }
  }

  private mutating func completeRun(_ arguments: [String]) {
    if arguments.dropLast().contains("--") {
      others = .program
      return
    }
    let typed = arguments.last ?? ""
    var assignment: Substring?
    if arguments.dropLast().last == "--env" { assignment = typed[...] }
    if typed.hasPrefix("--env=") { assignment = typed.dropFirst("--env=".count) }
    if let assignment {
      guard let equals = assignment.firstIndex(of: "=") else { return }
      let prefix = String(typed[..<assignment.index(after: equals)])
      candidates = items(TypedLine(), except: "").references(after: prefix)
      return
    }
    complete(
      arguments, of: ["run"],
      CommandArguments(
        options: [
          ("--env", "assignment"), ("--env-file", "file"), ("--no-env-file", nil), ("--netrc-file", nil),
          ("--mask", nil), ("--exact", nil),
          ("--trust", nil), ("--no-trust", nil), ("--yes", nil), ("--json", nil),
        ] + CommandArguments.general,
        repeatable: ["--env", "--env-file"], operands: []))
    if typed.isEmpty, !candidates.isEmpty { candidates.append(CompletionCandidate("--")) }
  }

  private mutating func completeInject(_ arguments: [String]) {
    if arguments.dropLast().contains("--") {
      others = .program
      return
    }
    complete(
      arguments, of: [InjectCommand.name],
      CommandArguments(options: [("--output", "file")] + CommandArguments.general, operands: ["file"]))
  }
}

/// The words before the one to complete.
struct TypedLine {
  private(set) var operands: [String] = []
  private(set) var options: Set<String> = []
  private var values: [String: String] = [:]
  private(set) var isPastTerminator = false
  /// The option whose value is the next word.
  private(set) var awaitsValue: (name: String, argument: CommandArguments.Argument)?

  func value(_ option: String) -> String? { values[option] }

  mutating func read(_ words: ArraySlice<String>, _ known: CommandArguments) {
    for word in words {
      if let option = awaitsValue {
        note(option.name, word, option.argument)
        awaitsValue = nil
      } else if isPastTerminator || !word.hasPrefix("-") || word == "-" {
        operands.append(word)
      } else if word == "--" {
        isPastTerminator = true
      } else {
        let equals = word.firstIndex(of: "=")
        let name = String(word[..<(equals ?? word.endIndex)])
        guard let argument = known.option(name) else { continue }
        options.formUnion(argument.names)
        if argument.kind == .flag { continue }
        if let equals {
          note(name, String(word[word.index(after: equals)...]), argument)
        } else {
          awaitsValue = (name, argument)
        }
      }
    }
    // If a command takes a URL, it is the first operand.
    if known.operands.first?.valueName == "url" { values["url"] = operands.first }
  }

  private mutating func note(_ name: String, _ value: String, _ argument: CommandArguments.Argument) {
    for name in argument.names + [name] { values[name] = value }
  }

  /// `nil` if no item can match.
  func filter(except name: String) -> ItemFilter? {
    var given: [Item.Attribute: String] = [:]
    for attribute in Item.Attribute.ofKeys {
      guard let option = attribute.option.map({ "--\($0)" }), option != name else { continue }
      given[attribute] =
        attribute == .port ? values[option].flatMap { UInt16($0)?.description } : values[option]
    }
    guard name != "url", let url = values["url"] else { return ItemFilter(given) }
    let text = Secret(url)
    guard
      let place = try? text.withUnsafeBytes({ (bytes) throws(KeychainError) in
        try CredentialURL(parsing: bytes, assuming: "https")
      }), let host = HostAndPort(parsing: place.host)
    else { return nil }
    func literal(_ text: ByteString?) -> String? {
      text?.text.map { "\(GlobPattern.literal(ByteString($0)))" }
    }
    given[.protocol] = literal(place.protocol)
    given[.server] = literal(host.server)
    given[.port] = (host.port ?? InternetPassword.defaultPort(of: place.protocol))?.description
    if let account = place.account, name != "--account" { given[.account] = literal(account) }
    return ItemFilter(given)
  }
}
