package import Bytes
import Keychain
package import PrivateFiles

/// A host's request for the log, a line of JSON. It contains no secret.
package struct LoggedRequest: Sendable {
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

  /// The line, with a line feed.
  package var line: Secret {
    var json = JSONWriter()
    json.beginObject()
    json.member("date", date)
    json.beginArray("hosts")
    for host in hosts { json.element(ByteString(host.description)) }
    json.endArray()
    json.beginArray("keys")
    for key in keys { json.element(ByteString(key)) }
    json.endArray()
    json.member("tool", shown(tool))
    json.member("action", ByteString(action))
    json.member("place", place.map { shown(ByteString($0)) })
    json.member("account", account.map(shown))
    json.member("outcome", ByteString(outcome.rawValue))
    json.member("fault", fault.map { ByteString($0.rawValue) })
    json.endObject()
    return json.finishLine()
  }
}

extension LineLog {
  /// The log of hosts' requests.
  package static func ofRequests(in folder: String) -> LineLog { LineLog(in: folder, named: "forward.log") }

  package func append(_ request: LoggedRequest) { append(request.line) }
}
