package import Bytes

/// The extension with which `llavero forward` controls the agent, over a private socket.
package enum ControlExtension {
  package static let name: StaticString = "control-v1@llavero"
}

package enum ControlRequest {
  case status
  case lock
  /// Pass everything else to the agent at this path from now on.
  case upstream(ByteString)
  /// Whether to pass on requests for ssh keys from now on.
  case keys(Bool)
  /// Look up again which sockets there should be.
  case sockets
  /// Make a socket with these rules, until this connection ends. The rules' host is a placeholder.
  case sandbox([ForwardingRule])

  package var encoded: Secret {
    var json = JSONWriter()
    json.beginObject()
    switch self {
    case .status: json.member("do", "status" as ByteString)
    case .lock: json.member("do", "lock" as ByteString)
    case .sockets: json.member("do", "sockets" as ByteString)
    case .keys(let passes): json.member("do", (passes ? "keys" : "no-keys") as ByteString)
    case .upstream(let path):
      json.member("do", "upstream" as ByteString)
      json.member("path", path)
    case .sandbox(let rules):
      json.member("do", "sandbox" as ByteString)
      json.beginArray("rules")
      for rule in rules { json.element(ByteString(rule.text)) }
      json.endArray()
    }
    json.endObject()
    return json.finish()
  }

  /// Parses a request.
  ///
  /// - Throws: ``JSONReader/Malformed``.
  package init(parsing text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    let fields = try JSONFields(text)
    switch try fields.bytes("do") {
    case "status": self = .status
    case "lock": self = .lock
    case "sockets": self = .sockets
    case "keys": self = .keys(true)
    case "no-keys": self = .keys(false)
    case "upstream":
      guard let path = try fields.bytes("path"), path == shown(path) else { throw JSONReader.Malformed() }
      self = .upstream(path)
    case "sandbox": self = .sandbox(try fields.elements("rules", Self.rule))
    default: throw JSONReader.Malformed()
    }
  }

  private static func rule(_ value: JSONValue) throws(JSONReader.Malformed) -> ForwardingRule {
    let text = try value.string()
    let rule = try? text.bytes.lendingBytes { (line) throws(RuleFault) in try ForwardingRule(parsing: line) }
    guard let rule else { throw JSONReader.Malformed() }
    return rule
  }
}

package struct ControlResponse {
  package struct Client: Hashable, Sendable {
    /// The hosts on the way, the nearest first, or the socket; empty if no host was verified.
    package var hosts: [ByteString]
    package var keys: [ByteString]
    package var process: Int
    package var connections: Int

    package init(hosts: [ByteString], keys: [ByteString], process: Int, connections: Int) {
      self.hosts = hosts
      self.keys = keys
      self.process = process
      self.connections = connections
    }
  }

  package struct Lease: Hashable, Sendable {
    package var hosts: [ByteString]
    /// The tool, as named by the other side.
    package var tool: ByteString
    package var place: ByteString
    package var account: ByteString?
    package var mayChange: Bool
    /// The remaining time, in seconds.
    package var seconds: Int

    package init(
      hosts: [ByteString], tool: ByteString, place: ByteString, account: ByteString?, mayChange: Bool,
      seconds: Int
    ) {
      self.hosts = hosts
      self.tool = tool
      self.place = place
      self.account = account
      self.mayChange = mayChange
      self.seconds = seconds
    }
  }

  /// Why nothing was done; `nil` on success.
  package var problem: ByteString?
  package var start: Timestamp?
  /// The path of the person's own agent, which gets everything else.
  package var upstream: ByteString?
  package var canAsk = false
  package var passesKeys = false
  package var sockets: [ByteString] = []
  package var socket: ByteString?
  package var clients: [Client] = []
  package var leases: [Lease] = []
  package var questions = 0

  package init() {}

  package init(problem: String) { self.problem = ByteString(problem) }

  package var encoded: Secret {
    var json = JSONWriter()
    json.beginObject()
    json.member("problem", problem.map(shown))
    members(in: &json)
    json.endObject()
    return json.finish()
  }

  /// Writes the agent's state into an object already begun.
  package func members(in json: inout JSONWriter) {
    json.member("start", start)
    json.member("upstream", upstream.map(shown))
    json.member("canAsk", canAsk)
    json.member("passesKeys", passesKeys)
    Self.write("sockets", sockets, to: &json)
    json.member("socket", socket.map(shown))
    json.beginArray("clients")
    for client in clients {
      json.beginObject()
      Self.write("hosts", client.hosts, to: &json)
      Self.write("keys", client.keys, to: &json)
      json.member("process", client.process)
      json.member("connections", client.connections)
      json.endObject()
    }
    json.endArray()
    json.beginArray("leases")
    for lease in leases {
      json.beginObject()
      Self.write("hosts", lease.hosts, to: &json)
      json.member("tool", shown(lease.tool))
      json.member("place", shown(lease.place))
      json.member("account", lease.account.map(shown))
      json.member("mayChange", lease.mayChange)
      json.member("seconds", lease.seconds)
      json.endObject()
    }
    json.endArray()
    json.member("questions", questions)
  }

  private static func write(_ name: StaticString, _ texts: [ByteString], to json: inout JSONWriter) {
    json.beginArray(name)
    for text in texts { json.element(shown(text)) }
    json.endArray()
  }

  /// Parses a response.
  ///
  /// - Throws: ``JSONReader/Malformed``.
  package init(parsing text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    let fields = try JSONFields(text)
    problem = try fields.bytes("problem")
    start = try fields.value("start")?.timestamp()
    upstream = try fields.bytes("upstream")
    canAsk = try fields.value("canAsk")?.bool() ?? false
    passesKeys = try fields.value("passesKeys")?.bool() ?? false
    sockets = try fields.strings("sockets")
    socket = try fields.bytes("socket")
    questions = try fields.value("questions")?.integer() ?? 0
    clients = try fields.elements("clients") { (element) throws(JSONReader.Malformed) in
      let fields = try JSONFields(element.raw)
      return Client(
        hosts: try fields.strings("hosts"), keys: try fields.strings("keys"),
        process: try fields.value("process")?.integer() ?? 0,
        connections: try fields.value("connections")?.integer() ?? 0)
    }
    leases = try fields.elements("leases") { (element) throws(JSONReader.Malformed) in
      let fields = try JSONFields(element.raw)
      return Lease(
        hosts: try fields.strings("hosts"), tool: try fields.bytes("tool") ?? "",
        place: try fields.bytes("place") ?? "", account: try fields.bytes("account"),
        mayChange: try fields.value("mayChange")?.bool() ?? false,
        seconds: try fields.value("seconds")?.integer() ?? 0)
    }
  }
}

/// Text for people, with invisible characters escaped. JSON keeps it unchanged.
func shown(_ text: ByteString) -> ByteString { ByteString(showingInvisible(text.description)) }
