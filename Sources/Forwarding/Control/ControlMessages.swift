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
    switch self {
    case .status: Message(name: "status").encoded
    case .lock: Message(name: "lock").encoded
    case .sockets: Message(name: "sockets").encoded
    case .keys(let passes): Message(name: passes ? "keys" : "no-keys").encoded
    case .upstream(let path): Message(name: "upstream", path: path).encoded
    case .sandbox(let rules): Message(name: "sandbox", rules: rules.map { ByteString($0.text) }).encoded
    }
  }

  /// Parses a request.
  ///
  /// - Throws: ``JSONReader/Malformed``.
  package init(parsing text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var message = Message(name: "")
    try message.read(text)
    var rules: [ForwardingRule] = []
    for text in message.rules ?? [] {
      guard
        let rule = try? text.bytes.lendingBytes({ (line) throws(RuleFault) in
          try ForwardingRule(parsing: line)
        })
      else { throw JSONReader.Malformed() }
      rules.append(rule)
    }
    switch message.name {
    case "status": self = .status
    case "lock": self = .lock
    case "sockets": self = .sockets
    case "keys": self = .keys(true)
    case "no-keys": self = .keys(false)
    case "upstream":
      guard let path = message.path, path == shown(path) else { throw JSONReader.Malformed() }
      self = .upstream(path)
    case "sandbox": self = .sandbox(rules)
    default: throw JSONReader.Malformed()
    }
  }

  private struct Message: JSONMessage {
    var name: ByteString
    var path: ByteString?
    var rules: [ByteString]?

    mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
      try members.member("do", &name)
      try members.member("path", &path)
      var texts = rules ?? []
      if members.isReading || rules != nil { try members.texts("rules", &texts) }
      rules = texts
    }
  }
}

package struct ControlResponse: JSONMessage {
  package struct Client: Hashable, Sendable, JSONMessage {
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

    package mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
      try members.shown("hosts", &hosts)
      try members.shown("keys", &keys)
      try members.member("process", &process)
      try members.member("connections", &connections)
    }
  }

  package struct Lease: Hashable, Sendable, JSONMessage {
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

    package mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
      try members.shown("hosts", &hosts)
      try members.shown("tool", &tool)
      try members.shown("place", &place)
      try members.shown("account", &account)
      try members.mark("mayChange", &mayChange, usually: nil)
      try members.member("seconds", &seconds)
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

  /// Parses a response.
  ///
  /// - Throws: ``JSONReader/Malformed``.
  package init(parsing text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) { try read(text) }

  package mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
    try members.shown("problem", &problem)
    try members.member("start", &start)
    try members.shown("upstream", &upstream)
    try members.mark("canAsk", &canAsk, usually: nil)
    try members.mark("passesKeys", &passesKeys, usually: nil)
    try members.shown("sockets", &sockets)
    try members.shown("socket", &socket)
    try members.objects("clients", &clients) { Client(hosts: [], keys: [], process: 0, connections: 0) }
    try members.objects("leases", &leases) {
      Lease(hosts: [], tool: "", place: "", account: nil, mayChange: false, seconds: 0)
    }
    try members.member("questions", &questions)
  }
}

extension JSONMembers {
  /// A text for people.
  fileprivate mutating func shown(
    _ name: StaticString, _ value: inout ByteString?
  ) throws(JSONReader.Malformed) {
    if !isReading { value = value.map(Forwarding.shown) }
    try member(name, &value)
  }

  fileprivate mutating func shown(
    _ name: StaticString, _ value: inout ByteString
  ) throws(JSONReader.Malformed) {
    var text: ByteString? = value
    try shown(name, &text)
    value = text ?? value
  }

  fileprivate mutating func shown(
    _ name: StaticString, _ value: inout [ByteString]
  ) throws(JSONReader.Malformed) {
    if !isReading { value = value.map(Forwarding.shown) }
    try texts(name, &value)
  }
}

/// Text for people, with invisible characters escaped. JSON keeps it unchanged.
func shown(_ text: ByteString) -> ByteString { ByteString(showingInvisible(text.description)) }
