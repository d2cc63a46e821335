package import Bytes
import Keychain
package import PrivateFiles

/// What hosts have asked for, a line of JSON each. It holds no secret.
package struct LoggedRequest: Sendable {
  /// What became of a request.
  package enum Outcome: String, Hashable, Sendable {
    /// It was answered with a secret.
    case answered
    /// It was answered with nothing: there is nothing, or nothing that the host may have.
    case nothing
    /// A list was given.
    case listed
    /// Something was stored, changed or erased.
    case changed
    /// It was refused.
    case refused
    /// The keychain could not be used.
    case failed
    /// Nobody has decided in time.
    case undecided
    /// Whoever asked went away, or the agent ended, before there was an answer.
    case cancelled
  }

  /// When it came.
  package var date: Timestamp
  /// The hosts on the way, the nearest first, as rules name them.
  package var hosts: [ForwardedHost]
  /// The fingerprints of their keys.
  package var keys: [String]
  /// The tool, as the other side names it.
  package var tool: ByteString
  /// What was asked for.
  package var action: String
  /// The place, if one was named.
  package var place: String?
  /// The account, if one was named or has answered.
  package var account: ByteString?
  /// What became of it.
  package var outcome: Outcome
  /// Why it was refused, if the sender was told.
  package var fault: ForwardFault?

  /// The largest place, and account, in bytes: the other side names them, and must not fill the log with a few.
  private static let maximumText = 1024

  /// Puts together what is known of a request.
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
  /// What hosts have asked for.
  package static func ofRequests(in folder: String) -> LineLog { LineLog(in: folder, named: "forward.log") }

  /// Adds a request.
  package func append(_ request: LoggedRequest) { append(request.line) }
}
