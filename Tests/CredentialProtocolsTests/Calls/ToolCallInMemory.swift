import CredentialProtocols
import Keychain
import TestSupport

/// A tool's call whose input and output are arrays.
final class ToolCallInMemory: ToolCall {
  let tool: String
  let programName = "llavero-test"
  let version = "1.2.3"
  let now: Timestamp
  private let arguments: ToolArguments
  private let environment: [String: String]
  private var rest: ArraySlice<UInt8>
  private let store: Result<any KeychainStore, KeychainError>
  private(set) var output: [UInt8] = []
  private(set) var said: [Failure] = []
  private(set) var hasRemembered = false

  init(
    _ tool: Tool, _ arguments: [ByteString], environment: [String: String] = [:], input: [UInt8],
    at now: Timestamp, _ store: Result<any KeychainStore, KeychainError>
  ) throws(KeychainError) {
    self.tool = tool.name
    self.arguments = try ToolArguments(
      arguments, of: programName, tool.speaks.options
    ) { _, _ in false }
    self.environment = environment
    rest = input[...]
    self.now = now
    self.store = store
  }

  /// Whether the input was read to its end.
  var isDrained: Bool { rest.isEmpty }

  var operands: [ByteString] { arguments.operands }

  func values(of option: String) -> [ByteString] {
    arguments.values(of: option)
  }

  func variable(_ name: String) -> ByteString? { environment[name].map { ByteString($0) } }

  /// Whether there is a user at the terminal, and no other input.
  var isInputTerminal: Bool { typed != nil && rest.isEmpty }

  /// Whether standard output would be a terminal.
  var isOutputTerminal = false

  /// The calling process.
  var callingProgram = CallerInMemory()
  var caller: any Caller { callingProgram }
  /// The command that replaced this process.
  private(set) var became: [ByteString] = []

  func become(_ program: ByteString, _ arguments: [ByteString], emptying variable: String) -> Failure {
    became = [program] + arguments
    return Failure("became \(program)", status: .nothingMatched)
  }

  /// The machine's own askpass program.
  var askingProgram: ByteString?
  var hasTerminal: Bool { typed != nil }
  /// What the person was shown or asked on the terminal, and whether the answer was shown.
  private(set) var shown: [(text: ByteString, isAnswerShown: Bool)] = []

  func askPerson(_ prompt: ByteString, showsAnswer: Bool) -> Secret? {
    shown.append((prompt, showsAnswer))
    return typed.map { Secret($0) }
  }

  func show(_ text: ByteString) { shown.append((text, true)) }

  /// The files of the home.
  var files: [String: String] = [:]
  func contents(ofFile path: ByteString) -> Secret? { files["\(path)"].map { Secret($0) } }

  func begin() {}

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    // In small parts, as from a pipe.
    let count = min(buffer.count, rest.count, rest.count > 4096 ? 4096 : 7)
    buffer.copyBytes(from: rest.prefix(count))
    rest = rest.dropFirst(count)
    return count
  }

  func write(_ output: borrowing Secret) { self.output += output.revealed }
  func say(_ refusal: Failure) { said.append(refusal) }
  func keychain() throws(KeychainError) -> any KeychainStore { try store.get() }
  /// The text that the user types at the terminal; `nil` if there is no user.
  var typed: String?
  private(set) var asked: [String] = []

  func askForSecret(_ prompt: String) throws(KeychainError) -> Secret {
    asked.append(prompt)
    guard let typed else { throw .failure("nobody is there", status: .usage) }
    return Secret(typed)
  }

  func refusal(for error: KeychainError) -> Failure {
    if case .described(let refusal) = error { return refusal }
    return Failure("failed: \(error)", status: .keychain)
  }
  func hasStored() { hasRemembered = true }
}

/// A calling process in the folder `/work`.
final class CallerInMemory: Caller {
  var programName: ByteString?
  private var answered: Set<ByteString> = []

  /// The options of its command line.
  private let options: [String: String]

  init(_ programName: ByteString? = nil, options: [String: String] = [:]) {
    self.programName = programName
    self.options = options
  }

  func value(ofOptions names: [String]) -> Secret? {
    names.compactMap { options[$0] }.last.map { Secret($0) }
  }

  func paths(of file: ByteString) -> [ByteString] {
    file.bytes.first == 0x2f ? [file] : [ByteString(Array("/home/alice/".utf8) + file.bytes), "/real/key"]
  }

  func notesAnswer(to question: ByteString) -> Bool { answered.insert(question).inserted }
}

/// The reply to a tool.
struct ToolReply: Hashable {
  var status: Int32
  var output: String
}

/// A keychain that a tool's protocol is tested with.
struct ToolUnderTest {
  let tool: Tool
  let fresh: FreshKeychain
  /// The environment of the calls.
  var environment: [String: String] = [:]

  /// - Parameter name: the name of a tool in ``Tool/all``.
  init(_ name: String, _ kind: KeychainUnderTest = KeychainUnderTest.all[0]) {
    guard let tool = Tool.named(name) else { preconditionFailure("there is no tool \(name)") }
    self.tool = tool
    fresh = kind.make()
  }

  /// Makes a call, as the program does.
  func call(_ arguments: String..., input: String = "") -> ToolReply {
    call(arguments, bytes: Array(input.utf8))
  }

  func call(_ arguments: [String], bytes: [UInt8], failing: KeychainError? = nil) -> ToolReply {
    defer { fresh.clock.advance(seconds: 1) }
    do throws(KeychainError) {
      let call = try callInMemory(arguments, bytes: bytes, failing: failing)
      let status: Int32
      do throws(KeychainError) {
        status = try tool.speaks.respond(to: call)
      } catch {
        // The program has a message for each error; here any will do.
        status = tool.speaks.refuse(call.refusal(for: error), call)
      }
      return ToolReply(status: status, output: String(decoding: call.output, as: UTF8.self))
    } catch {
      return ToolReply(status: 64, output: "\(error)")
    }
  }

  /// Makes a call with arguments that need not be text, and returns its status and output.
  func reply(to arguments: [ByteString], bytes: [UInt8] = []) throws -> (status: Int32, output: [UInt8]) {
    defer { fresh.clock.advance(seconds: 1) }
    let call = try ToolCallInMemory(
      tool, arguments, environment: environment, input: bytes, at: fresh.clock.now, .success(fresh.keychain))
    do throws(KeychainError) {
      return (try tool.speaks.respond(to: call), call.output)
    } catch {
      return (tool.speaks.refuse(call.refusal(for: error), call), call.output)
    }
  }

  /// A call that hasn't been answered yet.
  func callInMemory(
    _ arguments: [String], bytes: [UInt8] = [], failing: KeychainError? = nil
  ) throws(KeychainError) -> ToolCallInMemory {
    try ToolCallInMemory(
      tool, arguments.map { ByteString($0) }, environment: environment, input: bytes, at: fresh.clock.now,
      failing.map { .failure($0) } ?? .success(fresh.keychain))
  }

  /// Adds a generic password.
  func add(
    service: ByteString, account: ByteString? = nil, _ secret: String, expiry: Int64? = nil
  ) throws {
    try fresh.keychain.add(
      Item(GenericPassword(service: service, account: account)), Credential(Secret(secret), expiry: expiry))
    fresh.clock.advance(seconds: 1)
  }

  /// Adds an item of git's or a person's.
  func add(_ key: InternetPassword, _ secret: String) throws {
    try fresh.keychain.add(Item(key), Credential(password: secret))
    fresh.clock.advance(seconds: 1)
  }
}
