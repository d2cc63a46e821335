import Bytes
import Interchange
import Keychain
import ToolCommands

/// The `exec` entry of a user in a kubeconfig (Kubernetes, "client-go credential plugins"). Only kubectl writes it.
struct KubeconfigExec: ConfigurationFormat {
  /// `nil` if none was named.
  let user: String?
  let program: String

  private static let exec = ["exec"] as YAMLDocument.Path
  private static let command = ["exec", "command"] as YAMLDocument.Path

  /// The words of kubectl's command. It always names the user, because no file tells for certain whether the cluster
  /// has others.
  private var words: [String] {
    let user = user ?? "USER"
    return [
      "config", "set-credentials", user, "--exec-api-version=client.authentication.k8s.io/v1",
      "--exec-command=\(program)", "--exec-arg=kubectl", "--exec-arg=\(user)",
      "--exec-interactive-mode=Never", "--exec-provide-cluster-info=true",
    ]
  }

  var command: OwnCommand? {
    let words = words
    return OwnCommand(
      programs: ["kubectl"], file: "config", variables: { _ in [] },
      arguments: { folder, _ in words + ["--kubeconfig", "\(folder)/config"] })
  }

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
    if let own, let command = Self.command(in: file, own) {
      reading.setting = [.init(value: command, line: "user \(user ?? ""): exec \(command)")]
    }
    return reading
  }

  func isMade(in text: [UInt8]) throws(ConfigurationFault) -> Bool {
    let file = try Kubeconfig(text)
    return user.flatMap { file.settings(of: $0) }.map { file.scalar($0 + Self.command) == program } ?? false
  }

  /// The command for people, because no line does it.
  func lines(for base: [UInt8], like text: [UInt8]) -> [String] {
    [("\(wordsOf: ["kubectl"] + words)" as Hint).description]
  }

  func proposal(
    for base: [UInt8], like text: [UInt8], in block: MarkedBlock
  ) throws(ConfigurationFault) -> TextEdit? {
    guard let user else { throw ConfigurationFault("it names no user that kubectl logs in with now") }
    let file = try Kubeconfig(base)
    guard let own = file.settings(of: user), file.document.entry(own) != nil else {
      throw ConfigurationFault("it has no user \(user)")
    }
    if let present = Self.command(in: file, own), !Self.isLlavero(present) {
      let other = present.split(separator: " ").first ?? ""
      throw ConfigurationFault("the user \(user) logs in from \(other) already")
    }
    if file.document.entry(own + ["auth-provider"]) != nil {
      throw ConfigurationFault(
        "the user \(user) has an auth-provider, beside which kubectl takes no other program")
    }
    return nil
  }

  func leftToPerson(in text: [UInt8]) -> ByHand? {
    ByHand(
      reason: "there is no kubectl to change it, or it would write all of it anew",
      instruction: "type \(lines(for: text, like: text)[0])")
  }

  /// The program in a user's settings, with its arguments.
  private static func command(in file: Kubeconfig, _ settings: YAMLDocument.Path) -> String? {
    guard file.document.entry(settings + exec) != nil else { return nil }
    guard let command = file.scalar(settings + Self.command) else { return "something else" }
    let arguments = file.document.children(of: settings + exec + ["args"]).map {
      file.scalar($0.path) ?? "…"
    }
    return ([command] + arguments).joined(separator: " ")
  }

  /// Whether a program is llavero, at any present or former path.
  private static func isLlavero(_ command: String?) -> Bool {
    guard let program = command?.split(separator: " ").first.map(String.init) else { return false }
    return program == "llavero" || NamedPath.isLlavero(program)
  }

  func undoing(
    _ edit: TextEdit, in text: [UInt8], _ block: MarkedBlock
  ) throws(ConfigurationFault) -> [UInt8]? {
    let file = try Kubeconfig(text)
    guard let own = user.flatMap({ file.settings(of: $0) }), Self.isLlavero(Self.command(in: file, own)),
      let exec = file.document.entry(own + Self.exec), let settings = file.document.entry(own)
    else { return nil }
    var result = text
    result.removeSubrange(exec.lines)
    // Write empty settings as kubectl does.
    if file.document.children(of: own).count == 1, let colon = text[..<settings.lineEnd].lastIndex(of: 0x3a) {
      result.insert(contentsOf: Array(" {}".utf8), at: colon + 1)
    }
    return result
  }
}
