import Bytes
public import Keychain

/// A protocol in which a tool asks for credentials: a parser, a formatter, and the reply if nothing is found.
///
/// It works only with its ``ToolCall``: it opens no file, and doesn't know the kind of keychain. ``Tool/all`` lists the
/// names by which it is called.
public protocol ToolProtocol: SendableMetatype {
  /// Its options besides those of every tool.
  static var options: [ToolOption] { get }

  /// The text that `--help` prints.
  static var usage: String { get }

  /// Answers one call, and returns the exit status.
  ///
  /// - Throws: ``KeychainError``, which is then reported to the tool by ``refuse(_:_:)``.
  static func respond(to call: any ToolCall) throws(KeychainError) -> Int32

  /// Reports a failure to the tool in the form it expects, and returns the exit status.
  static func refuse(_ refusal: Failure, _ call: any ToolCall) -> Int32

  /// Simulates the tool's call for a URL; `nil` if a URL alone doesn't identify its logins.
  static var rehearsal: Rehearsal? { get }
}

/// Builds a tool's call for a URL and, if it asks for one, an account.
public typealias Rehearsal =
  @Sendable (_ url: ByteString, _ account: ByteString?) throws(KeychainError) -> RehearsedArguments

/// The arguments and input of a simulated call.
public struct RehearsedArguments: Sendable {
  let operands: [ByteString]
  let input: ByteString

  init(_ operands: [ByteString], input: ByteString = ByteString([])) {
    (self.operands, self.input) = (operands, input)
  }

  /// Passes a JSON object on standard input.
  init(_ operands: [ByteString], members: (inout JSONWriter) -> Void) {
    var json = JSONWriter()
    json.beginObject()
    members(&json)
    json.endObject()
    self.init(operands, input: json.finishLine().withUnsafeBytes { ByteString($0) })
  }
}

extension ToolProtocol {
  /// No options by default.
  public static var options: [ToolOption] { [] }

  /// No rehearsal by default.
  public static var rehearsal: Rehearsal? { nil }

  /// Reports the failure on standard error. The status is 1 if nothing matched, 2 if the keychain could not be used and
  /// 64 for a wrong call.
  public static func refuse(_ refusal: Failure, _ call: any ToolCall) -> Int32 {
    call.say(refusal)
    return refusal.status.rawValue
  }
}

/// An option of a tool's protocol, allowed anywhere on the command line.
public struct ToolOption: Sendable {
  /// The name as it is written, such as `--timeout`.
  public let name: String
  /// Whether a value follows, as the next argument or after `=`.
  public let takesValue: Bool

  /// An option with a value.
  public static func value(_ name: String) -> ToolOption { ToolOption(name: name, takesValue: true) }

  /// An option without a value.
  public static func flag(_ name: String) -> ToolOption { ToolOption(name: name, takesValue: false) }
}
