import Bytes
import JSON
public import Keychain

/// How one tool asks for credentials: a parser, a formatter, and what the tool is told where nothing is found.
///
/// A protocol is pure over what a ``ToolCall`` gives it: it opens no file and knows no keychain's kind. ``Tool/all``
/// says by which names it is called.
public protocol ToolProtocol: SendableMetatype {
  /// The options that it has besides those of every tool.
  static var options: [ToolOption] { get }

  /// What `--help` prints.
  static var usage: String { get }

  /// Answers one call, and returns the status to end with.
  ///
  /// - Throws: ``ProtocolError``, which ``refuse(_:_:)`` then tells the tool.
  static func respond(to call: any ToolCall) throws(ProtocolError) -> Int32

  /// Tells the tool, in its own manner, why the call failed, and returns the status to end with.
  static func refuse(_ refusal: Refusal, _ call: any ToolCall) -> Int32

  /// The call that the tool would make for a URL; `nil` for one that doesn't ask by a URL alone.
  static var rehearsal: Rehearsal? { get }
}

/// Makes up the call that a tool would make for a URL. `account` is the one that the tool asks for, where it asks for one.
public typealias Rehearsal =
  @Sendable (_ url: ByteString, _ account: ByteString?) throws(ProtocolError) -> RehearsedArguments

/// What a tool gives in a call that is made up.
public struct RehearsedArguments: Sendable {
  let operands: [ByteString]
  let input: ByteString

  init(_ operands: [ByteString], input: ByteString = ByteString([])) {
    (self.operands, self.input) = (operands, input)
  }

  /// One that gives a JSON object on standard input.
  init(_ operands: [ByteString], members: (inout JSONWriter) -> Void) {
    var json = JSONWriter()
    json.beginObject()
    members(&json)
    json.endObject()
    self.init(operands, input: json.finishLine().withUnsafeBytes { ByteString($0) })
  }
}

extension ToolProtocol {
  /// No options of its own.
  public static var options: [ToolOption] { [] }

  /// None.
  public static var rehearsal: Rehearsal? { nil }

  /// Says it on standard error. The statuses are 1 where nothing matched, 2 where the keychain could not be used and
  /// 64 for a wrong call.
  public static func refuse(_ refusal: Refusal, _ call: any ToolCall) -> Int32 {
    call.say(refusal)
    return refusal.cause.rawValue
  }
}

/// An option of a tool's protocol, which may stand anywhere on the command line.
public struct ToolOption: Sendable {
  /// As it is written, `--timeout`.
  public let name: String
  /// Whether a value follows it, as the next argument or after `=`.
  public let takesValue: Bool

  /// An option with a value.
  public static func value(_ name: String) -> ToolOption { ToolOption(name: name, takesValue: true) }

  /// An option without a value.
  public static func flag(_ name: String) -> ToolOption { ToolOption(name: name, takesValue: false) }
}

/// Why a call failed, in words.
public struct Refusal: Hashable, Sendable {
  /// What kind of failure it is, with the status that says so where a tool has none of its own.
  public enum Cause: Int32, Sendable {
    /// The keychain has no such item.
    case nothingMatched = 1
    /// The keychain could not be used.
    case keychain = 2
    /// The call is wrong.
    case usage = 64
  }

  /// One line in small letters without a full stop. Holds no secret, and nothing of the input but what names the item; that
  /// shows its invisible characters, for tools pass this on to a terminal as it is.
  public let message: String
  /// What to do about it, where that can be followed.
  public let hint: Hint?
  /// What kind of failure it is.
  public let cause: Cause

  /// Takes the parts.
  public init(_ message: String, hint: Hint? = nil, _ cause: Cause) {
    self.message = showingInvisible(message)
    self.hint = hint
    self.cause = cause
  }
}

extension ProtocolError {
  /// That a call is wrong.
  static func misused(_ message: String, hint: Hint? = nil) -> ProtocolError {
    .refused(Refusal(message, hint: hint, .usage))
  }
}
