import ArgumentParser
import Bytes
import Forwarding
import Keychain
import KeychainChoice
import ToolCommands

struct ForwardListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show the rules, who is connected, and what is allowed for sessions")

  @OptionGroup var output: OutputOptions

  func run() throws(KeychainError) {
    let places = try ForwardingPlaces.here()
    let rules: [ForwardingRule]
    do throws(RuleStore.Fault) {
      rules = try RuleStore(at: places.rules).read().rules
    } catch {
      throw KeychainError(places, error)
    }
    let running = try ForwardingAgentControl(places)
    let response = try running.map { (running) throws(KeychainError) in try running.ask(.status) }
    try output.write(Self.report(rules, response), or: Self.text(rules, response))
  }

  private static func text(_ rules: [ForwardingRule], _ response: ControlResponse?) -> TextForTerminal {
    let now = Timestamp.now
    var rows: [[String]] = []
    for rule in rules.sorted(by: { $0.host < $1.host }) {
      var words = [rule.place.text]
      if rule.isExact { words.append("exactly") }
      if let tool = rule.tool { words.append("tool \(tool)") }
      if let account = rule.account { words.append("account \(account)") }
      if rule.mayChange { words.append("may be changed") }
      if let end = rule.end { words.append(rule.counts(at: now) ? "until \(dateText(end))" : "expired") }
      rows.append([rule.verdict.rawValue, rule.host.description, words.joined(separator: ", ")])
    }
    for lease in response?.leases ?? [] {
      var words = ["\(lease.place)", "tool \(lease.tool)"]
      if let account = lease.account { words.append("account \(account)") }
      if lease.mayChange { words.append("may be changed") }
      words.append("for \(DurationText.text(lease.seconds))")
      rows.append([
        "session", lease.hosts.map { "\($0)" }.joined(separator: " -> "), words.joined(separator: ", "),
      ])
    }
    for client in response?.clients ?? [] {
      let who = client.hosts.isEmpty ? "not verified" : client.hosts.map { "\($0)" }.joined(separator: " -> ")
      rows.append([
        "connected", who, "process \(client.process), \(client.keys.map { "\($0)" }.joined(separator: " "))",
      ])
    }
    if rows.isEmpty { return "No host has a rule: each request is asked about.\n" }
    return columns(rows, wrappedTo: TerminalStyle().width)
  }

  private static func report(_ rules: [ForwardingRule], _ response: ControlResponse?) -> JSONObject {
    let rules = rules.map { rule -> JSONObject in
      [
        "verdict": rule.verdict.rawValue, "host": rule.host.description, "place": rule.place.text,
        "tool": rule.tool, "account": rule.account, "exact": rule.isExact.ifTrue, "write": rule.mayChange,
        "until": rule.end,
      ]
    }
    return ["rules": rules, "running": response != nil]
      + JSONObject { if let response { $0.members(of: response) } }
  }
}
