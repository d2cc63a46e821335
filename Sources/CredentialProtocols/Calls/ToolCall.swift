import Bytes
public import Keychain

/// One call of this program by a tool: what the tool gave, and where what is said to it goes.
public protocol ToolCall: AnyObject {
  /// The tool's name, ``Tool/name``.
  var tool: String { get }

  /// The name that the program was called by, `docker-credential-llavero`.
  var programName: String { get }

  /// The program's version, `0.1.0`.
  var version: String { get }

  /// The arguments without the options, as bytes.
  var operands: [ByteString] { get }

  /// The time to take for now.
  var now: Timestamp { get }

  /// The values that an option was given, in their order; empty ones for a flag.
  func values(of option: String) -> [ByteString]

  /// A variable of the environment; `nil` if it isn't set.
  func variable(_ name: String) -> ByteString?

  /// Whether a person sits at standard input.
  var isInputTerminal: Bool { get }

  /// Whether standard output is a terminal, where everyone nearby could read an answer.
  var isOutputTerminal: Bool { get }

  /// The process that has called.
  var caller: any Caller { get }

  /// Becomes another program, found along the PATH if its name has no slash.
  ///
  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - variable: one that it doesn't get.
  /// - Returns: why it can't be executed.
  func become(_ program: ByteString, _ arguments: [ByteString], withholding variable: String) -> Refusal

  /// Puts the next bytes of standard input into the buffer and returns how many; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ProtocolError) -> Int

  /// Writes to standard output at once.
  func write(_ output: borrowing Secret) throws(ProtocolError)

  /// Tells the person on standard error.
  func say(_ refusal: Refusal)

  /// Settles which keychain is used. Whoever speaks before the tool calls it first: the program may become another one
  /// here, which begins anew. Reading does it by itself.
  func begin() throws(ProtocolError)

  /// The keychain; opened at the first call.
  func keychain() throws(ProtocolError) -> any KeychainStore

  /// Asks a person for a secret on the terminal.
  ///
  /// - Throws: ``ProtocolError`` if there is nobody to ask, or no answer.
  func askForSecret(_ prompt: String) throws(ProtocolError) -> Secret

  /// An error in words.
  func refusal(for error: ProtocolError) -> Refusal

  /// Notes that something was stored, so that the choice of the keychain is to last.
  ///
  /// - Throws: ``ProtocolError`` if that can't be written down.
  func hasStored() throws(ProtocolError)

  /// Hears why each query that the call leads to is answered as it is; `nil` where nobody wants to know.
  var onQuery: ((AnswerExplanation) -> Void)? { get }
}

/// The process that has called this program.
public protocol Caller {
  /// The name of its program, of which the kernel keeps 15 bytes; `nil` if that can't be told.
  var programName: ByteString? { get }

  /// The absolute paths of a file that it names, as it is written and without links on the way.
  func paths(of file: ByteString) -> [ByteString]

  /// Notes that it gets an answer now. Returns whether it is the first to that question.
  ///
  /// - Throws: ``ProtocolError`` if that can't be noted.
  func notesAnswer(to question: ByteString) throws(ProtocolError) -> Bool
}

extension ToolCall {
  /// Nobody wants to know.
  public var onQuery: ((AnswerExplanation) -> Void)? { nil }

  /// Whether an option was given.
  public func has(_ option: String) -> Bool { !values(of: option).isEmpty }

  /// The value that an option was given last.
  public func value(of option: String) -> ByteString? { values(of: option).last }

  /// Writes a text that is no secret.
  public func write(_ text: String) throws(ProtocolError) { try write(Secret(text)) }

  /// All of standard input. It is read to its end in any case, so that no tool is stopped while it writes.
  ///
  /// - Parameter limit: the most bytes that are taken.
  /// - Throws: ``ProtocolError/requestTooLong(limit:)`` if there is more.
  public func input(limit: Int = 1 << 20) throws(ProtocolError) -> Secret {
    var text = Secret(capacity: 4096)
    var isTooLong = false
    while true {
      let before = text.count
      try text.append(count: 4096) { (buffer) throws(ProtocolError) in try read(into: buffer) }
      if text.count == before { break }
      if text.count > limit {
        isTooLong = true
        text.truncate(to: 0)
      }
    }
    if isTooLong { throw .requestTooLong(limit: limit) }
    return text
  }
}
