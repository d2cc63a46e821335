import ArgumentParser
import Bytes
import Forwarding
import ForwardingControl
import Keychain
import KeychainChoice
import Terminals
import ToolCommands

/// `llavero forward allow`
struct ForwardAllowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "allow",
    abstract: "Allow a host to use the logins for a place",
    discussion: """
      A place is a URL, in whose server * stands for anything; service:NAME for a login without a URL; or * for \
      everything. Two hosts on the way, as with ssh through a host that runs ssh, both need it. The host is called as in \
      'ssh HOST', or SHA256:... by the fingerprint of its key, or socket:NAME for what 'llavero forward socket' made.

        llavero forward allow build.example 'https://github.com/acme'
        llavero forward allow build.example 'https://*.corp.example' --tool git --for 8h
        llavero forward allow socket:devcontainer https://github.com --account alice --write
      """)

  @Argument(help: ArgumentHelp("The host, as for ssh", valueName: "host"))
  var host: String

  @Argument(help: ArgumentHelp("A URL, service:NAME or *", valueName: "place"))
  var place: String

  @Option(help: ArgumentHelp("Only for this tool; the other side says which it is", valueName: "tool"))
  var tool: String?

  @Option(help: ArgumentHelp("Only for this account", valueName: "name"))
  var account: String?

  @Flag(help: "Allow it to store, change and erase there, too")
  var write = false

  @Option(name: .customLong("for"), help: ArgumentHelp("Only for this time, such as 8h", valueName: "time"))
  var duration: String?

  @Flag(help: "Ask each time")
  var ask = false

  func run() throws {
    var end: Timestamp?
    if let duration {
      let seconds = try explaining(choice: DurationText.seconds(duration, of: "--for"))
      end = Timestamp(seconds: Timestamp.now.seconds + Int64(seconds))
    }
    try ForwardingRule.write(
      ask ? .ask : .allow, host, place, tool: tool, account: account, mayChange: write, end: end)
  }
}

/// `llavero forward deny`
struct ForwardDenyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deny",
    abstract: "Refuse a host a place, or everything, without asking",
    discussion: """
      Without a place, the host gets nothing: its other rules go, and what was allowed for sessions ends.

        llavero forward deny build.example https://bank.example
        llavero forward deny build.example
      """)

  @Argument(help: ArgumentHelp("The host, as for ssh", valueName: "host"))
  var host: String

  @Argument(help: ArgumentHelp("A URL, service:NAME or *", valueName: "place"))
  var place: String?

  @Flag(help: "Remove the host's rules instead, so that you are asked again")
  var forget = false

  func run() throws {
    if forget || place == nil { try ForwardingRule.removeAll(of: host, at: place) }
    if !forget { try ForwardingRule.write(.deny, host, place ?? "*") }
    // What was allowed for a session must not outlive this.
    let running = try ForwardingAgentControl(try ForwardingPlaces.here())
    _ = try running.map { (running) throws(Failure) in try running.ask(.lock) }
  }
}

extension ForwardingRule {
  /// Writes a rule, and says which.
  fileprivate static func write(
    _ verdict: Verdict, _ host: String, _ place: String, tool: String? = nil, account: String? = nil,
    mayChange: Bool = false, end: Timestamp? = nil
  ) throws(Failure) {
    guard let pattern = PlacePattern(parsing: ByteString(place)) else {
      throw Failure(
        "'\(place)' is no place",
        hint: "a place is a URL such as https://github.com/acme, service:NAME or '*'",
        status: .usage)
    }
    if let tool, !(1...ForwardRequest.maximumTool ~= tool.utf8.count) {
      throw Failure("a tool's name has 1 to \(ForwardRequest.maximumTool) bytes", status: .usage)
    }
    if account?.isEmpty ?? false { throw Failure("the account is empty", status: .usage) }
    let host = try SSHConfiguration.host(named: host)
    let rule = ForwardingRule(
      verdict, host, pattern, tool: tool.map { ByteString($0) }, account: account.map { ByteString($0) },
      mayChange: mayChange, end: end)
    let read = Array(rule.text.utf8).lendingBytes { try? ForwardingRule(parsing: $0) }
    guard read == rule else { throw Failure("that can't be written as a rule", status: .usage) }
    try changeRules { $0.set(rule, at: .now) }
    StandardStreams.say("\(rule.text)")
  }

  fileprivate static func removeAll(of host: String, at place: String?) throws(Failure) {
    let host = try SSHConfiguration.host(named: host)
    let pattern = place.flatMap { PlacePattern(parsing: ByteString($0)) }
    if place != nil, pattern == nil { throw Failure("'\(place ?? "")' is no place", status: .usage) }
    let count = try changeRules {
      $0.removeRules { rule in rule.host == host && (pattern == nil || rule.place == pattern) }
    }
    if count > 0 { StandardStreams.say("removed \(countText(count, "rule")) of \(host)") }
  }

  private static func changeRules<Value>(_ body: (inout RuleFile) -> Value) throws(Failure) -> Value {
    let places = try ForwardingPlaces.here()
    do throws(RuleStore.Fault) {
      return try RuleStore(at: places.rules).change(body)
    } catch {
      if case .malformed = error { throw Failure(places, error) }
      throw Failure("\(places.rules) can't be changed: \(error.text)", status: .keychain)
    }
  }
}
