import Bytes
import Terminals
import TextFormats

/// The `exec` entry of a user in a kubeconfig (Kubernetes, "client-go credential plugins"). It is written as kubectl
/// writes it, and nothing else in the file changes.
struct KubeconfigExec: ConfigurationFormat {
  /// The user; `nil` to see that none is meant.
  let user: String?
  /// The path of llavero.
  let program: String

  let name = "users.exec"

  private static let version = "client.authentication.k8s.io/v1"
  private static let exec = ["exec"] as YAMLDocument.Path
  private static let command = ["exec", "command"] as YAMLDocument.Path

  /// The user is always named: whether its cluster has others, no file says for certain.
  private var arguments: [String] { ["kubectl", user ?? "USER"] }

  var byHand: [String] {
    let words =
      ["kubectl", "config", "set-credentials", user ?? "USER", "--exec-api-version=\(Self.version)"]
      + ["--exec-command=\(program)"] + arguments.map { "--exec-arg=\($0)" }
      + ["--exec-interactive-mode=Never", "--exec-provide-cluster-info=true"]
    return ["\(wordsOf: words)" as Hint].map(\.description)
  }

  func shown(_ value: String) -> String { "user \(user ?? "USER"): exec \(value)" }

  func isFormerLine(_ line: String) -> Bool { false }

  func reading(of text: [UInt8]) throws(ConfigurationFault) -> ConfigurationReading {
    let file = try Kubeconfig(text)
    let own = user.flatMap { file.settings(of: $0) }
    var reading = ConfigurationReading()
    for entry in file.document.entries where !entry.value.isEmpty {
      // Empty settings give way to others.
      if entry.path == own { continue }
      if let own, entry.path.starts(with: own + Self.exec) { continue }
      reading.others.append(.init(name: entry.path.map(\.bytes), value: Array(text[entry.value])))
    }
    if let own, let command = Self.command(in: file, own) { reading.setting = [command] }
    return reading
  }

  /// The program that a user's settings name, with its arguments; `nil` if they name none.
  private static func command(in file: Kubeconfig, _ settings: YAMLDocument.Path) -> String? {
    guard file.document.entry(settings + exec) != nil else { return nil }
    guard let command = file.scalar(settings + Self.command) else { return "something else" }
    let arguments = file.document.children(of: settings + exec + ["args"]).map {
      file.scalar($0.path) ?? "…"
    }
    return ([command] + arguments).joined(separator: " ")
  }

  /// Whether a program is llavero, wherever it is or was.
  private static func isLlavero(_ command: String?) -> Bool {
    guard let program = command?.split(separator: " ").first.map(String.init) else { return false }
    return program == "llavero" || NamedPath.isLlavero(program)
  }

  func proposal(for text: [UInt8]) throws(ConfigurationFault) -> [TextEdit] {
    guard let user else { throw ConfigurationFault("it names no user that kubectl logs in with now") }
    let file = try Kubeconfig(text)
    guard let own = file.settings(of: user), let settings = file.document.entry(own) else {
      throw ConfigurationFault("it has no user \(user)")
    }
    let children = file.document.children(of: own)
    if let exec = children.first(where: { $0.path == own + Self.exec }) {
      return try changing(exec, Self.command(in: file, own), file, text)
    }
    if children.contains(where: { $0.path.last.map { $0 == "auth-provider" } ?? false }) {
      throw ConfigurationFault(
        "the user \(user) has an auth-provider, beside which kubectl takes no other program")
    }
    let value = text.string(settings.value)
    guard settings.value.isEmpty || ["{}", "null", "~"].contains(value) else {
      throw ConfigurationFault("the settings of the user \(user) stand in one line")
    }
    let end = text.lineEnd
    let lines = entry(at: children.first?.column ?? settings.column + 2)
    let joined = Array(lines.map { Array($0.utf8) }.joined(separator: end))
    if !settings.value.isEmpty {
      let space = text[..<settings.value.lowerBound].lastIndex { $0 != 0x20 } ?? 0
      return [.replacement(of: (space + 1)..<settings.value.upperBound, in: text, with: end + joined)]
    }
    let isEnded = text[settings.lineEnd - 1] == 0x0a
    return [.insertion(of: (isEnded ? [] : end) + joined + end, at: settings.lineEnd)]
  }

  /// The edit of an entry that is there.
  private func changing(
    _ exec: YAMLDocument.Entry, _ present: String?, _ file: Kubeconfig, _ text: [UInt8]
  ) throws(ConfigurationFault) -> [TextEdit] {
    let path = exec.path.dropLast() + Self.command
    guard Self.isLlavero(present), let command = file.document.entry(Array(path)) else {
      let other = present?.split(separator: " ").first ?? ""
      throw ConfigurationFault("the user \(user ?? "") logs in from \(other) already")
    }
    if file.scalar(command.path) == program { return [] }
    return [.replacement(of: command.value, in: text, with: Array(program.utf8))]
  }

  private func entry(at column: Int) -> [String] {
    let lines =
      ["exec:", "  apiVersion: \(Self.version)", "  args:"] + arguments.map { "  - \(Self.scalar($0))" }
      + ["  command: \(program)", "  interactiveMode: Never", "  provideClusterInfo: true"]
    return lines.map { String(repeating: " ", count: column) + $0 }
  }

  /// A text as a scalar of YAML: in quotes, unless it is a plain word.
  private static func scalar(_ text: String) -> String {
    if text == "kubectl" { return text }
    return
      "\"\(text.flatMap { "\"\\".contains($0) ? ["\\", $0] : [$0] }.reduce(into: "") { $0.append($1) })\""
  }

  func change(from before: [UInt8]) throws(ConfigurationFault) -> (removed: [String], added: [String]) {
    let edits = try edits(for: before)
    if edits.isEmpty { return ([], []) }
    let present = try reading(of: before).setting
    if !present.isEmpty {
      return (present.map(shown), [shown(([program] + arguments).joined(separator: " "))])
    }
    return ([], ["user \(user ?? ""):"] + entry(at: 2))
  }

  func undoing(_ edit: TextEdit, in text: [UInt8]) throws(ConfigurationFault) -> [UInt8]? {
    let file = try Kubeconfig(text)
    guard let own = user.flatMap({ file.settings(of: $0) }), Self.isLlavero(Self.command(in: file, own)),
      let exec = file.document.entry(own + Self.exec), let settings = file.document.entry(own)
    else { return nil }
    if !edit.removed.isEmpty, edit.added == Array(program.utf8) {
      // Another path of llavero's was there before.
      guard let command = file.document.entry(own + Self.command) else { return nil }
      return TextEdit.replacement(of: command.value, in: text, with: edit.removed).applied(to: text)
    }
    var result = text
    result.removeSubrange(exec.lines)
    // Settings that are empty then are written as kubectl writes them.
    if file.document.children(of: own).count == 1, let colon = text[..<settings.lineEnd].lastIndex(of: 0x3a) {
      result.insert(contentsOf: Array(" {}".utf8), at: colon + 1)
    }
    return result
  }
}
