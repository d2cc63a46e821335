import ArgumentParser
import Bytes
import EncryptedFile
import Forwarding
import Keychain
import ToolCommands

struct ForwardSetupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup",
    abstract: "Let ssh forward the keychain to a host",
    discussion: """
      Adds the host to ~/.ssh/llavero.conf, which a line at the beginning of ~/.ssh/config includes. From then on, ssh \
      to that host starts the agent if it doesn't run, and forwards it. Nothing is allowed by that alone. Shows what \
      will change, and asks you.

        llavero forward setup build.example
        llavero forward setup build.example --remove
      """)

  @Argument("The host as you type it for ssh; * and ? are patterns", value: "host")
  var host: String

  @Flag(help: "Forward no ssh keys, only logins; this counts for all hosts")
  var noKeys = false

  @Flag(help: "Forward ssh keys, too, for all hosts, after --no-keys")
  var keys = false

  @Flag(help: "Forward nothing to that host any more")
  var remove = false

  @Flag(name: .shortAndLong, help: "Don't ask")
  var yes = false

  func validate() throws {
    if keys && noKeys { throw ValidationError("--keys and --no-keys are opposites") }
  }

  func run() throws(KeychainError) {
    let places = try ForwardingPlaces.here()
    guard SSHInclusion.isHost(host) else {
      throw .failure(
        "'\(host)' is no host that ssh's configuration can name",
        hint: "give it as you type it for ssh, without a user and a port", status: .usage)
    }
    guard let home = VaultLocation.environmentVariable("HOME") else {
      throw .failure("HOME is not set", hint: "set it to your home folder", status: .keychain)
    }
    let inclusion = SSHInclusion(folder: home + "/.ssh")
    if remove {
      try confirm(try changeOfRemoval(inclusion))
      return try SetupRecord.locked { () throws(KeychainError) in try removeHost(from: inclusion) }
    }
    guard ProgramLinks.found("ssh") != nil else {
      throw .failure("ssh is not installed", hint: "install openssh-client", status: .keychain)
    }
    try confirm(try changeOfAddition(inclusion, places))
    let withoutKeys = try SetupRecord.locked { () throws(KeychainError) in try addHost(to: inclusion, places)
    }
    try check(places)
    if withoutKeys { StandardStreams.say("hosts get logins alone, and no ssh keys; --keys changes that") }
    StandardStreams.say("ssh forwards the keychain to \(host) from now on")
    StandardStreams.say(
      "hint: nothing is allowed yet; \(command: "llavero", "forward", "allow", host, "PLACE")")
  }

  /// Shows what will be written, and asks. What is as it was needs no question.
  private func confirm(_ changes: TextForTerminal?) throws(KeychainError) {
    guard let changes else { return }
    if yes {
      try? StandardStreams.write(changes, to: 2)
    } else {
      try KeychainSelection(mayPrompt: true).confirmWriting(changes, hint: "write it with --yes")
    }
  }

  private func changeOfRemoval(_ inclusion: SSHInclusion) throws(KeychainError) -> TextForTerminal? {
    try inclusion.change(try hostsWithoutThis(inclusion), start: "", socket: "")
  }

  private func changeOfAddition(
    _ inclusion: SSHInclusion, _ places: ForwardingPlaces
  ) throws(KeychainError) -> TextForTerminal? {
    let hosts = try hostsWithThis(inclusion)
    let start = Self.startCommand(noKeys: try isWithoutKeys(inclusion))
    return try inclusion.change(hosts, start: start, socket: places.forwardingSocket)
  }

  private func isWithoutKeys(_ inclusion: SSHInclusion) throws(KeychainError) -> Bool {
    let hadNoKeys = try inclusion.startsWithoutKeys()
    return noKeys || !keys && hadNoKeys
  }

  private func hostsWithThis(_ inclusion: SSHInclusion) throws(KeychainError) -> [String] {
    try inclusion.hosts().filter { $0 != host } + [host]
  }

  /// - Throws: ``KeychainError`` if this one isn't among them.
  private func hostsWithoutThis(_ inclusion: SSHInclusion) throws(KeychainError) -> [String] {
    let hosts = try inclusion.hosts()
    if !hosts.contains(host) {
      throw .failure("the keychain is not forwarded to '\(host)'", status: .nothingMatched)
    }
    return hosts.filter { $0 != host }
  }

  private func removeHost(from inclusion: SSHInclusion) throws(KeychainError) {
    try inclusion.write(try hostsWithoutThis(inclusion), start: "", socket: "")
  }

  /// Returns whether the hosts get no ssh keys.
  private func addHost(to inclusion: SSHInclusion, _ places: ForwardingPlaces) throws(KeychainError) -> Bool {
    let hosts = try hostsWithThis(inclusion)
    let withoutKeys = try isWithoutKeys(inclusion)
    // From here, because ssh knows less of the environment.
    let agent = try places.runningAgent(withoutKeys ? ["--no-keys"] : [])
    _ = try agent.ask(.keys(!withoutKeys))
    try inclusion.write(hosts, start: Self.startCommand(noKeys: withoutKeys), socket: places.forwardingSocket)
    return withoutKeys
  }

  /// The command for ssh, with this program's own path: ssh's shell may have another PATH.
  private static func startCommand(noKeys: Bool) -> String {
    let own = (try? LastingPath.ofProgram()) ?? Executables.people
    let isPlain = own.utf8.allSatisfy { byte in
      "/._-+".utf8.contains(byte) || 0x30...0x39 ~= byte || 0x41...0x5a ~= byte || 0x61...0x7a ~= byte
    }
    return (isPlain ? own : Executables.people) + " forward start --quiet" + (noKeys ? " --no-keys" : "")
  }

  /// Checks ssh's view of the host.
  private func check(_ places: ForwardingPlaces) throws(KeychainError) {
    if host.contains("*") || host.contains("?") { return }
    let options = SSHConfiguration.options(for: host) ?? [:]
    if options["identityagent"] != places.forwardingSocket || options["forwardagent"] != "yes" {
      throw .failure(
        "~/.ssh/llavero.conf names \(host) now, but ssh would not forward the keychain to it",
        hint: """
          see why with \(command: "ssh", "-G", host); \
          \(command: "llavero", "forward", "setup", host, "--remove") takes it back
          """, status: .keychain)
    }
  }
}

/// llavero's own part of ssh's configuration: a file, and the line that includes it.
struct SSHInclusion {
  private let folder: String

  private static let name = "llavero.conf"
  private static let line = "Include llavero.conf"

  /// - Parameter folder: the user's `.ssh`.
  init(folder: String) {
    self.folder = folder
  }

  /// Whether the configuration can name a host or pattern like this.
  static func isHost(_ name: String) -> Bool {
    // An IPv6 address has colons, but a name and its port have one.
    !name.isEmpty && name.utf8.count <= 255 && !name.hasPrefix("-")
      && name.utf8.count(where: { $0 == 0x3a }) != 1
      && name.utf8.allSatisfy { byte in
        "._-*?%+:".utf8.contains(byte) || 0x30...0x39 ~= byte || 0x41...0x5a ~= byte || 0x61...0x7a ~= byte
      }
  }

  /// The hosts in the file.
  ///
  /// - Throws: ``KeychainError`` if it can't be read.
  func hosts() throws(KeychainError) -> [String] {
    try text(of: Self.name).split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      return words.count > 2 && words[0] == "Match" && words[1] == "originalhost" ? String(words[2]) : nil
    }
  }

  /// Whether ssh's configuration includes the file.
  ///
  /// - Throws: ``KeychainError`` if it can't be read.
  func isIncluded() throws(KeychainError) -> Bool {
    try text(of: "config").split(separator: "\n").contains { $0 == Self.line }
  }

  /// Whether the agent is started without keys.
  ///
  /// - Throws: ``KeychainError`` if the file can't be read.
  func startsWithoutKeys() throws(KeychainError) -> Bool {
    try text(of: Self.name).split(separator: "\n").contains {
      $0.hasPrefix("Match ") && $0.hasPart(" --no-keys\"")
    }
  }

  /// Writes the file, and the line in `config`; without hosts, removes both. Needs the set-up lock.
  ///
  /// - Throws: ``KeychainError`` if that fails, or would lose somebody else's change.
  func write(_ hosts: [String], start: String, socket: String) throws(KeychainError) {
    let (own, config) = (file(Self.name), file("config"))
    let formerOwn = try own.anybodysContents()
    let formerConfig = try config.anybodysContents()
    let former = try text(formerOwn, of: own)
    let settings = try text(formerConfig, of: config)
    let texts = Self.changed(former, settings, hosts, start: start, socket: socket)
    if hosts.isEmpty {
      if texts.config != settings { try config.replace(formerConfig, with: Array(texts.config.utf8)) }
      if formerOwn != nil { try own.replace(formerOwn, with: nil) }
      return
    }
    try own.replace(formerOwn, with: Array(texts.own.utf8))
    if texts.config != settings { try config.replace(formerConfig, with: Array(texts.config.utf8)) }
  }

  /// What ``write(_:start:socket:)`` would change, for people; `nil` if that is nothing.
  ///
  /// - Throws: ``KeychainError`` if the files can't be read.
  func change(_ hosts: [String], start: String, socket: String) throws(KeychainError) -> TextForTerminal? {
    let (former, settings) = (try text(of: Self.name), try text(of: "config"))
    let texts = Self.changed(former, settings, hosts, start: start, socket: socket)
    if texts.own == former, texts.config == settings { return nil }
    var shown: TextForTerminal = ""
    for (name, before, after) in [(Self.name, former, texts.own), ("config", settings, texts.config)]
    where before != after {
      let (removed, added) = (Self.lines(before, without: after), Self.lines(after, without: before))
      shown += TextForTerminal.change(of: "\(folder)/\(name)", removed: removed, added: added)
    }
    return shown
  }

  /// The lines of a text that another one doesn't have; a line may be there more than once.
  private static func lines(_ text: String, without other: String) -> [String] {
    var others = other.split(separator: "\n")
    return text.split(separator: "\n").filter { line in
      guard let index = others.firstIndex(of: line) else { return true }
      others.remove(at: index)
      return false
    }.map(String.init)
  }

  /// The texts of both files for these hosts.
  private static func changed(
    _ former: String, _ settings: String, _ hosts: [String], start: String, socket: String
  ) -> (own: String, config: String) {
    var lines = settings.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let isIncluded = lines.contains(Self.line)
    if hosts.isEmpty {
      lines.removeAll { $0 == Self.line }
      return ("", isIncluded ? lines.joined(separator: "\n") : settings)
    }
    var result = "# 'llavero forward setup' writes this file. See llavero-forward(1).\n"
    for host in hosts {
      if socket.isEmpty, let block = Self.block(of: host, in: former) {
        result += block
      } else {
        result +=
          "Match originalhost \(host) exec \"\(start)\"\n  IdentityAgent \"\(socket)\"\n  ForwardAgent yes\n"
      }
    }
    // First of all, because ssh takes the first value of an option, and a line after a Host would belong to that.
    return (result, isIncluded ? settings : Self.line + "\n" + settings)
  }

  private static func block(of host: String, in text: String) -> String? {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    while let line = lines.popFirst() {
      guard line.hasPrefix("Match originalhost \(host) ") else { continue }
      let rest = lines.prefix { $0.hasPrefix(" ") }
      return ([line] + rest).map { $0 + "\n" }.joined()
    }
    return nil
  }

  private func file(_ name: String) -> ConfigurationFile { ConfigurationFile(path: "\(folder)/\(name)") }

  private func text(of name: String) throws(KeychainError) -> String {
    let file = file(name)
    return try text(file.anybodysContents(), of: file)
  }

  private func text(_ contents: [UInt8]?, of file: ConfigurationFile) throws(KeychainError) -> String {
    guard let text = String(validating: contents ?? [], as: UTF8.self) else {
      throw .failure("\(file.path) is not UTF-8 text", status: .keychain)
    }
    return text
  }
}
