import Bytes
import CredentialProtocols
import Glibc
import Keychain
import PrivateFiles
import ToolCommands

/// A report on the tools that log in from here, made without reading any secret.
struct IntegrationReport {
  struct Finding {
    /// `git`, `docker`, the name of a link, …
    let subject: String
    /// `nil` if there is nothing.
    let value: String?
    var problem: String?
    /// The command to type next.
    var remedy: Hint?

    var report: JSONObject {
      ["subject": subject, "value": value, "problem": problem, "hint": remedy?.description]
    }
  }

  private(set) var findings: [Finding] = []
  private let gitFolder = GitSettings.ownFolder

  /// Runs the checks, with git, if it is installed, to read its configuration.
  init(_ place: SetupPlace) {
    let chains = GitSettings.credentialEntries().map(GitHelperChain.all)
    if let chains {
      for chain in chains { add(chain) }
    } else if GitSettings.isInstalled {
      add("git", nil, "git's configuration can't be read", "git config --list --show-origin")
    }
    addLinks()
    addTools(place)
    addDocker(place)
    addSigningIn()
    for loose in LooseCredentials.find(stores: (chains ?? []).flatMap(\.storeFiles)) {
      add(loose.kind, loose.path, loose.problem, "\(wordsOf: loose.remedy)")
    }
  }

  private mutating func add(
    _ subject: String, _ value: String?, _ problem: String? = nil, _ remedy: Hint? = nil
  ) {
    findings.append(Finding(subject: subject, value: value, problem: problem, remedy: remedy))
  }

  private mutating func add(_ chain: GitHelperChain) {
    let subject = chain.url.map { "git, \($0)" } ?? "git"
    let value =
      chain.asked.isEmpty
      ? "has no credential helper"
      : "asks " + chain.asked.map { "\($0.value) (\($0.place))" }.joined(separator: ", then ")
    // Report problems that concern all URLs only once.
    let problems = chain.problems().filter { new in
      !findings.contains { $0.problem == new.problem && $0.remedy == new.remedy }
    }
    // A helper for a single URL may be meant to answer there.
    let hint = problems.isEmpty ? chain.leaving : nil
    add(subject, value, problems.first?.problem, problems.first?.remedy ?? hint)
    for (problem, remedy) in problems.dropFirst() { add(subject, nil, problem, remedy) }
    for helper in chain.asked {
      guard let program = helper.missingProgram(besides: gitFolder) else { continue }
      let problem = "git doesn't find \(program)"
      if findings.contains(where: { $0.problem == problem }) { continue }
      add(subject, nil, problem, helper.isLlavero ? "llavero setup git" : helper.removal)
    }
  }

  /// Checks the names by which tools find this program on the PATH, and reports those that lead elsewhere.
  private mutating func addLinks() {
    guard let program = try? ProgramLinks.program() else { return }
    // If another llavero comes first on the PATH, links to that one are right too.
    var accepted = [program] + Self.toolsProgram(program)
    var slower: [String: Int] = [:]
    let folders = (CString(variable: "PATH")?.text ?? "").split(separator: ":")
    for name in ["llavero"] + ProgramLinks.all {
      for folder in folders where folder.first == "/" {
        let path = "\(folder)/\(name)"
        let target = ProgramLinks.linkTarget(path)
        let real = realPath(path)
        if target == nil, real == nil { continue }
        guard let real else {
          add(
            name, path, "it leads to \(target ?? "nothing"), which is not there",
            "\(words: "llavero", "link", folder)")
          continue
        }
        // A hard link is the same program under another name.
        if !accepted.contains(where: { LastingPath.isSameFile($0, real) }) {
          let remedy: Hint =
            name == "llavero"
            ? "put one of them out of the way"
            : target == nil
              ? "\(words: "rm", path)" : "\(words: "rm", path); \(words: "llavero", "link", folder)"
          add(name, path, "it is another program than this llavero, \(program)", remedy)
          if name == "llavero" { accepted += [real] + Self.toolsProgram(real) }
        } else if target != nil, name != "llavero", !Self.toolsProgram(real).isEmpty,
          (try? LastingPath.forLink(name)).flatMap(realPath) != real
        {
          slower["\(folder)", default: 0] += 1
        }
        break
      }
    }
    if !folders.contains(where: { realPath("\($0)/llavero") != nil }) {
      let folder = program.split(separator: "/").dropLast().joined(separator: "/")
      add(
        "llavero", program, "tools look for it along the PATH, and it is in no folder of that",
        "export PATH=\(words: "/" + folder):$PATH")
    }
    for (folder, count) in slower.sorted(by: { $0.key < $1.key }) {
      add(
        "links", folder,
        "\(countText(count, "link")) \(count == 1 ? "leads" : "lead") to llavero; \(Executables.tools) answers sooner",
        "\(words: "llavero", "link", folder)")
    }
  }

  /// The `llavero-credential` beside a `llavero`, unless `program` is that one itself.
  private static func toolsProgram(_ program: String) -> [String] {
    ProgramLinks.toolsProgram(beside: program).map { $0 == program ? [] : [$0] } ?? []
  }

  private mutating func addTools(_ place: SetupPlace) {
    var names: [String] = []
    for tool in ToolSetup.all + [.secretService] {
      let state = SetupState(of: tool, place)
      addStrays(tool, place, state)
      if ["git", ToolSetup.secretService.name].contains(tool.name) { continue }
      if state.isSetUp { names.append(tool.name + (tool.reach(place).map { " (\($0))" } ?? "")) }
      let others = ((try? tool.recordedParts()) ?? []).filter { $0 != place.part(of: tool) }.map {
        place.with(part: $0)
      }
      for place in others { addStrays(tool, place, SetupState(of: tool, place)) }
      for place in (state.isSetUp ? [place] : []) + others {
        for answer in tool.answersBefore(place) {
          add(tool.name, answer.path, answer.sentence, "take it out of that file, if llavero is to answer")
        }
      }
    }
    if !names.isEmpty {
      add("tools", "\(names.joined(separator: ", ")) \(names.count == 1 ? "logs" : "log") in from llavero")
    }
  }

  /// Reports links and paths that should lead a tool to llavero, and don't.
  private mutating func addStrays(_ tool: ToolSetup, _ place: SetupPlace, _ state: SetupState) {
    var command = ["llavero", "setup", tool.name]
    if let parts = tool.parts, let part = place.part(parts), part != parts.usual(place.with(part: nil)) {
      command += ["--\(parts.name)", part]
    }
    for (path, sentence) in state.strays {
      add(tool.name, sentence.hasPrefix(path) ? nil : path, sentence, "\(wordsOf: command)")
    }
  }

  /// Checks docker's configuration apart from the single helper for everything.
  private mutating func addDocker(_ place: SetupPlace) {
    let folder = place.variable("DOCKER_CONFIG") ?? place.home(".docker")
    let path = folder + "/config.json"
    guard let text = try? ConfigurationFile(path: path).contents() else { return }
    let isJSON = text.withUnsafeBytes { (try? JSONReader.members(of: $0) { _, _ in }) != nil }
    if !isJSON {
      return add("docker", path, "docker can't read it: it isn't valid JSON", "correct it by hand")
    }
    let reading: ConfigurationReading
    do throws(ConfigurationFault) {
      reading = try JSONMember(name: "credsStore", value: "llavero").reading(of: text)
    } catch {
      return add("docker", path, error.reason, "correct it by hand")
    }
    switch reading.current {
    case nil:
      add(
        "docker", "\(path): no credsStore", "docker keeps logins in plain text there", "llavero setup docker")
    case "llavero"?:
      let isFound = ProgramLinks.found("docker-credential-llavero") != nil
      add(
        "docker", "\(path): credsStore llavero",
        isFound ? nil : "docker doesn't find docker-credential-llavero along the PATH",
        isFound ? nil : "make it with 'llavero link FOLDER', in a folder of your PATH")
    case let other?:
      add("docker", "\(path): credsStore \(other)", "docker doesn't ask llavero", "llavero setup docker")
    }
  }

  /// Checks the program that signs in and renews tokens.
  private mutating func addSigningIn() {
    if NetworkCompanion.isSwitchedOff {
      add("signing in", "LLAVERO_NETWORK is never: nobody signs in, and no token is renewed")
    } else if let obstacle = NetworkCompanion.obstacle {
      add(
        "signing in", "nobody signs in, and no token is renewed, because \(obstacle.reason)", nil,
        "\(prose: obstacle.remedy)")
    } else {
      let starts = NetworkCompanion()?.starts == true
      add(
        "signing in", "possible, by \(Executables.network)", starts ? nil : "it can't be started",
        starts ? nil : "\(prose: NetworkCompanion.remedy)")
    }
  }

  // MARK: Reporting

  func text() -> TextForTerminal { Self.text(of: findings, about: "tools") }

  /// Findings as text for people, with their heading.
  static func text(of findings: [Finding], about subject: String) -> TextForTerminal {
    if findings.isEmpty { return "" }
    var rows: [[String]] = []
    for finding in findings {
      rows.append(["  " + finding.subject, found(finding.value, finding.problem)])
      if let remedy = finding.remedy { rows.append([Self.next, remedy.description]) }
    }
    let hasProblems = findings.contains { $0.problem != nil }
    return "\n\(subject): \(hasProblems ? "problems found" : "no problems found")\n" + columns(rows)
  }

  /// What was found, and what is wrong with it. A file is named once.
  static func found(_ value: String?, _ problem: String?) -> String {
    guard let value, let problem else { return value ?? problem ?? "" }
    return value.hasPrefix("/") && problem.hasPart(value) ? problem : "\(value): \(problem)"
  }

  /// Rows of subjects and findings, and of `next` with what to do, which stays whole if it is only a command.
  static func columns(
    _ rows: [[String]], wrappedTo width: Int? = TerminalStyle().width
  ) -> TextForTerminal {
    ToolCommands.columns(
      withTilde(rows), wrappedTo: width, keeping: { row in row[0] == Self.next && isCommand(row[1]) })
  }

  /// Whether it is a command without quotes around it, and nothing else.
  private static func isCommand(_ remedy: String) -> Bool {
    ["llavero ", "git config ", "rm ", "ssh ", "export "].contains { remedy.hasPrefix($0) }
      && ![", ", "; "].contains { remedy.hasPart($0) }
  }

  static let next = "  next"

  var report: [JSONObject] { findings.map(\.report) }
}
