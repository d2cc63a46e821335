import CredentialProtocols
import Keychain
import TestSupport

/// A tool's call whose streams are arrays.
final class ToolCallInMemory: ToolCall {
  let programName = "llavero-test"
  let version = "1.2.3"
  let operands: [ByteString]
  let now: Timestamp
  private let flags: [String]
  private var rest: ArraySlice<UInt8>
  private let store: Result<any KeychainStore, ProtocolError>
  private(set) var output: [UInt8] = []
  private(set) var said: [Refusal] = []
  private(set) var hasRemembered = false

  init(
    _ operands: [String], flags: [String] = [], input: [UInt8], at now: Timestamp,
    _ store: Result<any KeychainStore, ProtocolError>
  ) {
    self.operands = operands.map { ByteString($0) }
    self.flags = flags
    rest = input[...]
    self.now = now
    self.store = store
  }

  /// Whether the input was read to its end.
  var isDrained: Bool { rest.isEmpty }

  func values(of option: String) -> [ByteString] { flags.contains(option) ? [""] : [] }

  func begin() {}

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    // In small parts, as a pipe may give them.
    let count = min(buffer.count, rest.count, rest.count > 4096 ? 4096 : 7)
    buffer.copyBytes(from: rest.prefix(count))
    rest = rest.dropFirst(count)
    return count
  }

  func write(_ output: borrowing Secret) { self.output += output.revealed }
  func say(_ refusal: Refusal) { said.append(refusal) }
  func keychain() throws(ProtocolError) -> any KeychainStore { try store.get() }
  /// What the person at the terminal types; `nil` where there is nobody.
  var typed: String?
  private(set) var asked: [String] = []

  func askForSecret(_ prompt: String) throws(ProtocolError) -> Secret {
    asked.append(prompt)
    guard let typed else { throw .refused(Refusal("nobody is there", .usage)) }
    return Secret(typed)
  }

  func refusal(for error: ProtocolError) -> Refusal { Refusal("failed: \(error)", .keychain) }
  func hasStored() { hasRemembered = true }
}

/// What a tool was answered.
struct ToolReply: Hashable {
  var status: Int32
  var output: String
}

/// A keychain that a tool's protocol is spoken to.
struct ToolUnderTest {
  let tool: any ToolProtocol.Type
  let fresh: FreshKeychain

  init(_ tool: any ToolProtocol.Type, _ kind: KeychainUnderTest = KeychainUnderTest.all[0]) {
    self.tool = tool
    fresh = kind.make()
  }

  /// One call, as the program makes it.
  func call(_ operands: String..., flags: [String] = [], input: String = "") -> ToolReply {
    call(operands, flags: flags, bytes: Array(input.utf8))
  }

  func call(
    _ operands: [String], flags: [String] = [], bytes: [UInt8], failing: ProtocolError? = nil
  ) -> ToolReply {
    let call = ToolCallInMemory(
      operands, flags: flags, input: bytes, at: fresh.clock.now,
      failing.map { .failure($0) } ?? .success(fresh.keychain))
    fresh.clock.advance(seconds: 1)
    var status: Int32
    do throws(ProtocolError) {
      status = try tool.respond(to: call)
    } catch {
      // The program has a sentence for each error; here any does.
      status = tool.refuse(Refusal("failed: \(error)", .keychain), call)
    }
    return ToolReply(status: status, output: String(decoding: call.output, as: UTF8.self))
  }

  /// Adds what git or a person keeps.
  func add(_ key: InternetPassword, _ secret: String) throws {
    try fresh.keychain.add(Item(key), Credential(password: secret))
    fresh.clock.advance(seconds: 1)
  }
}
