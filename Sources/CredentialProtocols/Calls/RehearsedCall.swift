import Bytes
public import Keychain

/// A call as a tool would make it for a URL, made up to see which item would answer: the tool's own protocol runs, and
/// what it prints is thrown away.
public final class RehearsedCall: ToolCall {
  /// The tool's name.
  public let tool: String
  /// What was found out: each query that the tool's protocol leads to, in their order.
  public private(set) var explanations: [AnswerExplanation] = []

  private let speaks: any ToolProtocol.Type
  private let arguments: ToolArguments
  private var input: ArraySlice<UInt8>
  private let store: any KeychainStore

  /// The names of the tools that ask by a URL alone.
  public static let tools = Tool.all.filter { $0.speaks.rehearsal != nil }.map(\.name)

  /// A tool's call for a URL.
  ///
  /// - Parameter account: the one that the tool asks for; only keyring's clients ask for one, and others' URLs may have
  ///   one before the `@`.
  /// - Throws: ``ProtocolError`` if the URL can't be understood.
  public init?(
    _ tool: Tool, url: ByteString, account: ByteString?, _ store: any KeychainStore
  ) throws(ProtocolError) {
    guard let rehearsal = tool.speaks.rehearsal else { return nil }
    let made = try rehearsal(url, account)
    self.tool = tool.name
    speaks = tool.speaks
    input = made.input.bytes[...]
    self.store = store
    arguments = try ToolArguments(made.operands, of: tool.programName, tool.speaks.options) { _, _ in false }
  }

  /// Makes the call.
  ///
  /// - Throws: ``ProtocolError`` that the tool would be told.
  public func rehearse() throws(ProtocolError) {
    _ = try speaks.respond(to: self)
  }

  // MARK: The call

  /// ``Tool/programName``
  public var programName: String { "llavero" }
  /// Nothing asks for it.
  public var version: String { "" }
  /// The operands that the tool would give.
  public var operands: [ByteString] { arguments.operands }
  /// The present time.
  public var now: Timestamp { .now }
  /// Those that the tool would give.
  public func values(of option: String) -> [ByteString] { arguments.values(of: option) }
  /// None, for the tool's environment isn't this one's.
  public func variable(_ name: String) -> ByteString? { nil }
  /// Nobody does.
  public var isInputTerminal: Bool { false }
  /// Nothing is shown.
  public var isOutputTerminal: Bool { false }
  /// Nobody.
  public var caller: any Caller { NoCaller() }
  /// Becomes nothing.
  public func become(
    _ program: ByteString, _ arguments: [ByteString], withholding variable: String
  ) -> Refusal { Refusal("it runs \(program) instead", .nothingMatched) }
  /// The keychain is chosen already.
  public func begin() {}

  /// Gives what the tool would say.
  public func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, input.count)
    buffer.copyBytes(from: input.prefix(count))
    input = input.dropFirst(count)
    return count
  }

  /// Throws it away.
  public func write(_ output: borrowing Secret) {}
  /// Says nothing.
  public func say(_ refusal: Refusal) {}
  /// The one that was given.
  public func keychain() -> any KeychainStore { store }
  /// Nobody is asked.
  public func askForSecret(_ prompt: String) throws(ProtocolError) -> Secret {
    throw .refused(Refusal("nobody may be asked for the secret", .usage))
  }
  /// Nobody reads it.
  public func refusal(for error: ProtocolError) -> Refusal { Refusal("", .keychain) }
  /// Nothing is stored.
  public func hasStored() {}
  /// Collects them.
  public var onQuery: ((AnswerExplanation) -> Void)? { { self.explanations.append($0) } }
}

private struct NoCaller: Caller {
  var programName: ByteString? { nil }
  func paths(of file: ByteString) -> [ByteString] { [file] }
  func notesAnswer(to question: ByteString) -> Bool { true }
}
