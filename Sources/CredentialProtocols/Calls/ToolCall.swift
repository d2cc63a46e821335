import Bytes
public import Keychain

/// A tool's call of this program: its arguments and input, and the destination of the output.
public protocol ToolCall: AnyObject {
  /// The tool's name, ``Tool/name``.
  var tool: String { get }

  /// The name that the program was called by, such as `docker-credential-llavero`.
  var programName: String { get }

  /// The program's version, such as `0.1.0`, or with the commit `0.1.0 (487e5a5b 2026-11-30)`.
  var version: String { get }

  /// The arguments without the options, as bytes.
  var operands: [ByteString] { get }

  var now: Timestamp { get }

  /// The values given for an option, in order; empty texts for a flag.
  func values(of option: String) -> [ByteString]

  /// The value of an environment variable; `nil` if it isn't set.
  func variable(_ name: String) -> ByteString?

  var isInputTerminal: Bool { get }

  /// Whether standard output is a terminal, where everyone nearby could read an answer.
  var isOutputTerminal: Bool { get }

  /// The process that made the call.
  var caller: any Caller { get }

  /// Replaces the process with another program, found on the PATH if its name has no slash.
  ///
  /// - Parameters:
  ///   - arguments: the arguments without the program's name.
  ///   - variable: an environment variable to empty.
  /// - Returns: why it can't be executed.
  func become(_ program: ByteString, _ arguments: [ByteString], emptying variable: String) -> Failure

  /// The program that asks a person in a window on this machine (ssh(1), `SSH_ASKPASS`); `nil` if there is none, or no
  /// display.
  var askingProgram: ByteString? { get }

  /// Whether a person at the terminal may be asked.
  var hasTerminal: Bool { get }

  /// Asks the person at the terminal, with the unchanged prompt; `nil` without an answer.
  func askPerson(_ prompt: ByteString, showsAnswer: Bool) -> Secret?

  /// Shows a text to the person at the terminal.
  func show(_ text: ByteString)

  /// The contents of a file, in the user's home if the path is relative; `nil` if it can't be read, or is larger than a
  /// MiB.
  func contents(ofFile path: ByteString) -> Secret?

  /// Reads the next bytes of standard input into the buffer and returns their number; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(KeychainError) -> Int

  /// Writes to standard output without buffering.
  func write(_ output: borrowing Secret) throws(KeychainError)

  /// Reports it to the user on standard error.
  func say(_ refusal: Failure)

  /// Chooses the keychain. A protocol that writes before it reads must call this first: the process may be replaced
  /// with another program here, which starts over. Reading calls it automatically.
  func begin() throws(KeychainError)

  /// The keychain, opened at the first call.
  func keychain() throws(KeychainError) -> any KeychainStore

  /// The account under which one token answers for every name in a place's URL; `nil` if names there are people's.
  ///
  /// - Parameter isTakenOver: whether the caller uses that account in place of its own. If not, only services count
  ///   whose tokens go with any name.
  func nameForAll(at key: InternetPassword, isTakenOver: Bool) -> ByteString?

  /// Asks the user for a secret on the terminal.
  ///
  /// - Throws: ``KeychainError`` if nobody can be asked, or there is no answer.
  func askForSecret(_ prompt: String) throws(KeychainError) -> Secret

  /// The description of an error.
  func refusal(for error: KeychainError) -> Failure

  /// Notes that something was stored, to remember the choice of the keychain.
  ///
  /// - Throws: ``KeychainError`` if that can't be saved.
  func hasStored() throws(KeychainError)

  /// Called with the explanation of each query; `nil` if not needed.
  var onQuery: ((AnswerExplanation) -> Void)? { get }
}

/// The process that called this program.
public protocol Caller {
  /// Its program's name, cut to 15 bytes by the kernel; `nil` if unknown.
  var programName: ByteString? { get }

  /// The value of the last option on its command line that has one of these names; `nil` if there is none.
  func value(ofOptions names: [String]) -> Secret?

  /// The absolute paths of a file named by it, both as written and with links resolved.
  func paths(of file: ByteString) -> [ByteString]

  /// Notes that it gets an answer or a notice. Returns whether this is the first one for the question.
  ///
  /// - Throws: ``KeychainError`` if that can't be saved.
  func notesAnswer(to question: ByteString) throws(KeychainError) -> Bool
}

extension ToolCall {
  /// None by default.
  public func nameForAll(at key: InternetPassword, isTakenOver: Bool) -> ByteString? { nil }

  /// No observer by default.
  public var onQuery: ((AnswerExplanation) -> Void)? { nil }

  /// Whether an option was given.
  public func has(_ option: String) -> Bool { !values(of: option).isEmpty }

  /// The last value given for an option.
  public func value(of option: String) -> ByteString? { values(of: option).last }

  /// Writes a text that is not secret.
  public func write(_ text: String) throws(KeychainError) { try write(Secret(text)) }

  /// Reads all of standard input, always to the end, so that no tool is stopped while it writes.
  ///
  /// - Parameter limit: the maximum number of bytes.
  /// - Throws: ``RequestFault/requestTooLong(limit:)`` if there is more.
  public func input(limit: Int = 1 << 20) throws(KeychainError) -> Secret {
    var text = Secret(capacity: 4096)
    var isTooLong = false
    while true {
      let before = text.count
      try text.append(count: 4096) { (buffer) throws(KeychainError) in try read(into: buffer) }
      if text.count == before { break }
      if text.count > limit {
        isTooLong = true
        text.truncate(to: 0)
      }
    }
    if isTooLong { throw .request(.requestTooLong(limit: limit)) }
    return text
  }
}
