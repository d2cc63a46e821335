import ArgumentParser
import Bytes
import Forwarding
import Keychain
import KeychainChoice
import Terminals

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
    try StandardStreams.write(
      output.json ? Self.json(rules, response) : Secret(Self.text(rules, response).shown))
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
    return columns(rows)
  }

  private static func json(_ rules: [ForwardingRule], _ response: ControlResponse?) -> Secret {
    var json = JSONWriter()
    json.beginObject()
    json.beginArray("rules")
    for rule in rules {
      json.beginObject()
      json.member("verdict", ByteString(rule.verdict.rawValue))
      json.member("host", ByteString(rule.host.description))
      json.member("place", ByteString(rule.place.text))
      json.member("tool", rule.tool)
      json.member("account", rule.account)
      if rule.isExact { json.member("exact", true) }
      json.member("write", rule.mayChange)
      json.member("until", rule.end)
      json.endObject()
    }
    json.endArray()
    json.member("running", response != nil)
    if let response { response.members(in: &json) }
    json.endObject()
    return json.finishLine()
  }
}
