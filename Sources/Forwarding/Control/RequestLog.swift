package import Bytes
import Keychain
package import PrivateFiles

/// A host's request for the log, a line of JSON. It contains no secret.
package struct LoggedRequest: Equatable, Sendable {
  package enum Outcome: String, Hashable, Sendable {
    /// It was answered with a secret.
    case answered
    /// It was answered with nothing: there is nothing, or nothing that the host may have.
    case nothing
    case listed
    case changed
    case refused
    case failed
    /// Nobody has decided in time.
    case undecided
    /// The sender left, or the agent ended, before there was an answer.
    case cancelled
  }

  package var date: Timestamp
  /// The hosts on the way, the nearest first, as in rules.
  package var hosts: [ForwardedHost]
  package var keys: [String]
  /// The tool, as named by the other side.
  package var tool: ByteString
  package var action: String
  /// The place, if named.
  package var place: String?
  /// The account, if named or found.
  package var account: ByteString?
  package var outcome: Outcome
  /// The reason for a refusal, if the sender was told.
  package var fault: ForwardFault?

  /// The longest place or account, in bytes: the other side names them, and must not fill the log with a few requests.
  private static let maximumText = 1024

  package init(
    date: Timestamp, hosts: [ForwardedHost], keys: [String], tool: ByteString, action: String, place: String?,
    account: ByteString?, outcome: Outcome, fault: ForwardFault?
  ) {
    self.date = date
    self.hosts = hosts
    self.keys = keys
    self.tool = tool
    self.action = action
    self.place = place.map { $0.utf8.count > Self.maximumText ? "\($0.prefix(Self.maximumText / 4))…" : $0 }
    self.account = account.map {
      $0.bytes.count > Self.maximumText ? ByteString(Array($0.bytes.prefix(Self.maximumText / 4))) : $0
    }
    self.outcome = outcome
    self.fault = fault
  }
}

extension LoggedRequest {
  /// The request as it stands in the log.
  package struct Line: JSONMessage {
    package private(set) var date: Timestamp?
    package private(set) var hosts: [ByteString] = []
    private var keys: [String] = []
    package private(set) var tool: ByteString = ""
    package private(set) var action = ""
    package private(set) var place: ByteString?
    package private(set) var account: ByteString?
    package private(set) var outcome = ""
    package private(set) var fault: String?

    init(_ request: LoggedRequest) {
      date = request.date
      hosts = request.hosts.map { ByteString($0.description) }
      keys = request.keys
      tool = shown(request.tool)
      action = request.action
      place = request.place.map { shown(ByteString($0)) }
      account = request.account.map(shown)
      outcome = request.outcome.rawValue
      fault = request.fault?.rawValue
    }

    /// Reads a line of the log.
    ///
    /// - Throws: `JSONReader.Malformed` for anything else.
    package init(parsing line: UnsafeRawBufferPointer) throws(JSONReader.Malformed) { try read(line) }

    package mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
      try members.need("date", "tool", "action", "outcome")
      try members.member("date", &date)
      try members.texts("hosts", &hosts)
      try members.texts("keys", &keys)
      try members.member("tool", &tool)
      try members.member("action", &action)
      try members.member("place", &place)
      try members.member("account", &account)
      try members.member("outcome", &outcome)
      try members.member("fault", &fault)
    }
  }
}

extension LineLog {
  /// The log of hosts' requests.
  package static func ofRequests(in folder: String) -> LineLog { LineLog(in: folder, named: "forward.log") }

  package func append(_ request: LoggedRequest) { append(LoggedRequest.Line(request).encodedLine) }
}
