import Bytes
public import Keychain

/// A simulated call of a tool for a URL, to see which item would answer. Runs the tool's own protocol and discards the
/// output.
public final class RehearsedCall: ToolCall {
  /// The tool's name.
  public let tool: String
  /// The explanations of all queries by the tool's protocol, in order.
  public private(set) var explanations: [AnswerExplanation] = []

  private let speaks: any ToolProtocol.Type
  private let arguments: ToolArguments
  private var input: ArraySlice<UInt8>
  private let store: any KeychainStore
  private let nameForAll: (InternetPassword, Bool) -> ByteString?

  /// The names of the tools that identify a login by a URL alone.
  public static let tools = Tool.all.filter { $0.speaks.rehearsal != nil }.map(\.name)

  /// Makes a call of a tool for a URL.
  ///
  /// - Parameters:
  ///   - account: the account that the tool asks for. Only keyring's clients pass one; for other tools it may be in the
  ///     URL, before the `@`.
  ///   - nameForAll: as ``ToolCall/nameForAll(at:isTakenOver:)``.
  /// - Throws: ``KeychainError`` if the URL can't be understood.
  public init?(
    _ tool: Tool, url: ByteString, account: ByteString?, _ store: any KeychainStore,
    nameForAll: @escaping (InternetPassword, Bool) -> ByteString? = { _, _ in nil }
  ) throws(KeychainError) {
    guard let rehearsal = tool.speaks.rehearsal else { return nil }
    let made = try rehearsal(url, account)
    self.tool = tool.name
    speaks = tool.speaks
    input = made.input.bytes[...]
    self.store = store
    self.nameForAll = nameForAll
    arguments = try ToolArguments(made.operands, of: tool.programName, tool.speaks.options) { _, _ in false }
  }

  /// Runs the call.
  ///
  /// - Throws: the ``KeychainError`` that the tool would get.
  public func rehearse() throws(KeychainError) {
    _ = try speaks.respond(to: self)
  }

  // MARK: The call

  /// ``Tool/programName``
  public var programName: String { "llavero" }
  /// Never requested.
  public var version: String { "" }
  /// The operands that the tool would pass.
  public var operands: [ByteString] { arguments.operands }
  /// The present time.
  public var now: Timestamp { .now }
  /// The values that the tool would pass.
  public func values(of option: String) -> [ByteString] { arguments.values(of: option) }
  /// Always `nil`: this process doesn't have the tool's environment.
  public func variable(_ name: String) -> ByteString? { nil }
  /// Always `false`.
  public var isInputTerminal: Bool { false }
  /// Always `false`.
  public var isOutputTerminal: Bool { false }
  /// A caller without a name.
  public var caller: any Caller { NoCaller() }
  /// Never replaces the process.
  public func become(
    _ program: ByteString, _ arguments: [ByteString], emptying variable: String
  ) -> Failure { Failure("it runs \(program) instead", status: .nothingMatched) }
  /// Nobody is asked.
  public var askingProgram: ByteString? { nil }
  /// Always `false`.
  public var hasTerminal: Bool { false }
  /// Asks nobody.
  public func askPerson(_ prompt: ByteString, showsAnswer: Bool) -> Secret? { nil }
  /// Shows nothing.
  public func show(_ text: ByteString) {}
  /// Reads no file.
  public func contents(ofFile path: ByteString) -> Secret? { nil }
  /// Does nothing: the keychain is already chosen.
  public func begin() {}

  /// Reads the input that the tool would write.
  public func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, input.count)
    buffer.copyBytes(from: input.prefix(count))
    input = input.dropFirst(count)
    return count
  }

  /// Discards the output.
  public func write(_ output: borrowing Secret) {}
  /// Discards the message.
  public func say(_ refusal: Failure) {}
  /// The keychain passed to the initializer.
  public func keychain() -> any KeychainStore { store }
  /// As the initializer was told.
  public func nameForAll(at key: InternetPassword, isTakenOver: Bool) -> ByteString? {
    nameForAll(key, isTakenOver)
  }
  /// Always throws: nobody is asked.
  public func askForSecret(_ prompt: String) throws(KeychainError) -> Secret {
    throw .failure("nobody may be asked for the secret", status: .usage)
  }
  /// Never shown.
  public func refusal(for error: KeychainError) -> Failure { Failure("", status: .keychain) }
  /// Does nothing: nothing is stored.
  public func hasStored() {}
  /// Collects the explanations.
  public var onQuery: ((AnswerExplanation) -> Void)? { { self.explanations.append($0) } }
}

private struct NoCaller: Caller {
  var programName: ByteString? { nil }
  func value(ofOptions names: [String]) -> Secret? { nil }
  func paths(of file: ByteString) -> [ByteString] { [file] }
  func notesAnswer(to question: ByteString) -> Bool { true }
}
