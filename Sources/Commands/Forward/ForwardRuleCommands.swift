import ArgumentParser
import Bytes
import CredentialProtocols
import Forwarding
import Keychain
import KeychainChoice
import ToolCommands

struct ForwardAllowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "allow",
    abstract: "Allow a host to use the logins for a place",
    discussion: """
      Name the host as in 'ssh HOST', by the fingerprint of its key as SHA256:..., or as socket:NAME for a socket that \
      'llavero forward socket' made. If you reach it through another host that runs ssh, both need the rule.

      A place is a URL, whose server may contain * for any text; just a host for https; service:NAME for a login \
      without a URL; or * for everything. Git asks with the path of a URL after 'llavero setup git' on the other side, and \
      else for the whole server, which a rule for a path does not allow.

        llavero forward allow build.example 'https://github.com/acme'
        llavero forward allow build.example 'https://*.corp.example' --for 8h
        llavero forward allow socket:devcontainer https://github.com --write
      """)

  @Argument("The host, as for ssh", value: "host")
  var host: String

  @Argument("A URL, service:NAME or *", value: "place")
  var place: String

  @Option("Only for this tool; the other side says which it is", value: "tool")
  var tool: String?

  @Option("Only for this account", value: "name")
  var account: String?

  @Flag(help: "Allow it to store, change and erase there, too")
  var write = false

  @Option("Only for this time, such as 8h", value: "time", name: .customLong("for"))
  var duration: String?

  @Flag(help: "Ask each time")
  var ask = false

  func run() throws(KeychainError) {
    var end: Timestamp?
    if let duration {
      let seconds = try DurationText.seconds(duration, of: "--for")
      end = Timestamp(seconds: Timestamp.now.seconds + Int64(seconds))
    }
    try ForwardingRule.write(
      ask ? .ask : .allow, host, place, tool: tool, account: account, mayChange: write, end: end)
  }
}

struct ForwardDenyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deny",
    abstract: "Refuse a host a place, or everything, without asking",
    discussion: """
      Without a place, the host gets nothing: its other rules go, and what was allowed for sessions ends.

        llavero forward deny build.example https://bank.example
        llavero forward deny build.example
      """)

  @Argument("The host, as for ssh", value: "host")
  var host: String

  @Argument("A URL, service:NAME or *", value: "place")
  var place: String?

  @Flag(help: "Remove the host's rules instead, so that you are asked again")
  var forget = false

  func run() throws(KeychainError) {
    var removed = 0
    if forget || place == nil { removed = try ForwardingRule.removeAll(of: host, at: place) }
    if !forget { try ForwardingRule.write(.deny, host, place ?? "*") }
    // A session's permissions must not outlive this.
    let running = try ForwardingAgentControl(try ForwardingPlaces.here())
    _ = try running.map { (running) throws(KeychainError) in try running.ask(.lock) }
    if forget, removed == 0 { throw .failure("there is no such rule", status: .nothingMatched) }
  }
}

extension PlacePattern {
  /// What a person has typed: a host alone is one for https, as in other commands.
  init?(typed text: String) {
    if let place = PlacePattern(parsing: ByteString(text)) {
      self = place
      return
    }
    guard !text.hasPart("://"), !text.hasPart(" "), !text.hasSuffix(":"), !text.hasPrefix("service:"),
      let place = PlacePattern(parsing: ByteString("https://" + text))
    else {
      return nil
    }
    self = place
  }
}

extension ForwardingRule {
  /// Writes a rule, and reports it.
  fileprivate static func write(
    _ verdict: Verdict, _ host: String, _ place: String, tool: String? = nil, account: String? = nil,
    mayChange: Bool = false, end: Timestamp? = nil
  ) throws(KeychainError) {
    guard let pattern = PlacePattern(typed: place) else {
      // It may have a password in it.
      throw .failure(
        place.contains("@") ? "that is not a place" : "'\(place)' is not a place",
        hint: """
          a place is a URL such as https://github.com/acme, without an account and without * in its path; \
          service:NAME; or '*'
          """, status: .usage)
    }
    if let tool, !(1...ForwardRequest.maximumTool ~= tool.utf8.count) {
      throw .failure("a tool's name has 1 to \(ForwardRequest.maximumTool) bytes", status: .usage)
    }
    if account?.isEmpty ?? false { throw .failure("the account is empty", status: .usage) }
    let host = try SSHConfiguration.host(named: host)
    let rule = ForwardingRule(
      verdict, host, pattern, tool: tool.map { ByteString($0) }, account: account.map { ByteString($0) },
      mayChange: mayChange, end: end)
    guard rule.canBeRead else { throw .failure("that can't be written as a rule", status: .usage) }
    let others = try changeRules { (file) -> [ForwardingRule] in
      file.set(rule, at: .now)
      return file.rules.filter { $0.host == rule.host && $0.verdict != .deny && $0.decides(within: rule) }
    }
    StandardStreams.say("\(rule.text)")
    if verdict == .deny, !others.isEmpty {
      let texts = others.map(\.text).joined(separator: "; ")
      StandardStreams.say("note: rules for more exact places still count: \(texts)")
    }
    sayIfNobody(host)
    if let tool, !isKnown(tool) {
      StandardStreams.say("note: no tool of llavero's calls itself \(tool); see llavero-forward(1)")
    }
  }

  /// Whether one of llavero's programs asks under this name. Nothing keeps other programs from using another one.
  private static func isKnown(_ tool: String) -> Bool {
    Tool.named(tool) != nil || ["git", "llavero", "secret-service"].contains(tool)
  }

  /// Whether this rule decides a part of the other one's cases.
  private func decides(within other: ForwardingRule) -> Bool {
    switch (place, other.place) {
    case (_, .everywhere): place != .everywhere || account != nil || tool != nil || isExact
    case (.internet(_, let server, _, let path), .internet(_, let otherServer, _, let otherPath)):
      WildcardPattern.matches(otherServer.bytes, server.bytes)
        && (otherPath == nil || path.map { otherPath?.isWholeSegmentPrefix(of: $0) ?? true } ?? false)
    case (.service(let name), .service(let otherName)): WildcardPattern.matches(otherName.bytes, name.bytes)
    default: false
    }
  }

  /// Warns of a rule for an unknown host, which may be a typing error.
  private static func sayIfNobody(_ host: ForwardedHost) {
    switch host {
    case .name(let name):
      if let places = try? ForwardingPlaces(),
        NamedSockets(in: places.namedSockets).names().contains(ByteString("\(name)"))
      {
        let hint: Hint = "for the socket of that name, type \(words: "socket:\(name)")"
        StandardStreams.say("hint: \(hint)")
      }
      // ssh-keygen also finds hashed names. Its complaints about missing files don't matter.
      let search = "for file; do ssh-keygen -F \"$name\" -f \"$file\" 2>/dev/null && exit; done; exit 1"
      guard let places = try? ForwardingPlaces() else { return }
      let command = ["sh", "-c", "name=$1; shift; \(search)", "sh", name.description] + places.knownHosts
      let outcome = try? ProgramOutput.read(
        command.map { CString(copying: $0) }, timeout: 5000, limit: 1 << 20)
      guard case .failed? = outcome else { return }
      StandardStreams.say("note: ssh does not know \(name) yet; the rule counts once it is in known_hosts")
    case .socket(let name):
      guard let places = try? ForwardingPlaces(),
        !NamedSockets(in: places.namedSockets).names().contains(name)
      else {
        return
      }
      StandardStreams.say(
        "note: there is no such socket yet; \(command: "llavero", "forward", "socket", "\(name)")")
    case .key: return
    }
  }

  /// Removes the rules of a host, perhaps for one place only, and reports it. Returns how many there were.
  static func removeAll(of host: String, at place: String?) throws(KeychainError) -> Int {
    let host = try SSHConfiguration.host(named: host)
    let pattern = place.flatMap { PlacePattern(typed: $0) }
    if place != nil, pattern == nil { throw .failure("'\(place ?? "")' is not a place", status: .usage) }
    let count = try changeRules {
      $0.removeRules { rule in rule.host == host && (pattern == nil || rule.place == pattern) }
    }
    if count > 0 { StandardStreams.say("removed \(countText(count, "rule")) of \(host)") }
    return count
  }

  private static func changeRules<Value>(_ body: (inout RuleFile) -> Value) throws(KeychainError) -> Value {
    let places = try ForwardingPlaces.here()
    do throws(RuleStore.Fault) {
      let (result, durability) = try RuleStore(at: places.rules).change(body)
      StandardStreams.warn(durability)
      return result
    } catch {
      if case .malformed = error { throw KeychainError(places, error) }
      throw .failure("\(places.rules) can't be changed: \(error.text)", status: .keychain)
    }
  }
}
