import Bytes
import Keychain
import SignIn
import ToolCommands

/// Exchanges requests with servers for the program that started this one, until that ends, and keeps connections
/// meanwhile.
enum ExchangeService {
  static let operand = "exchange"

  /// Reads a set-up and then requests from standard input, and writes a reply for each, until the input ends.
  ///
  /// - Parameter timeout: returns the longest time of an exchange that the environment allows, in milliseconds. If it
  ///   throws, every request gets that as its reply, so that the calling program reports it.
  /// - Throws: ``KeychainError`` if the input isn't that of such a program.
  static func run(timeout: () throws(KeychainError) -> Int) throws(KeychainError) {
    if StandardStreams.isTerminal(0) { throw misuse }
    guard let message = try message() else { return }
    let setup = try understood(message) { (text) throws(JSONReader.Malformed) in
      try ExchangeSetup(parsing: text)
    }
    let settings = HTTPSettings(setup)
    let transport: any Transport
    do throws(KeychainError) {
      transport = CurlTransport(
        timeout: min(try timeout(), setup.timeout), connectTimeout: setup.connectTimeout,
        settings: { _ in settings })
    } catch {
      transport = RefusingTransport(error.message)
    }
    while try exchange(over: transport) {}
  }

  /// Serves one request. Returns `false` at the end.
  private static func exchange(over transport: any Transport) throws(KeychainError) -> Bool {
    guard let message = try message() else { return false }
    let visit = try understood(message) { (text) throws(JSONReader.Malformed) in
      try BrowserVisit(parsing: text)
    }
    if let visit {
      try StandardStreams.write(ExchangeFrame.framed(BrowserLogin.outcome(of: visit).encoded()))
      return true
    }
    let request = try understood(message) { (text) throws(JSONReader.Malformed) in
      try HTTPRequest(parsing: text)
    }
    try StandardStreams.write(ExchangeFrame.framed(outcome(of: request, over: transport)))
    return true
  }

  private static func outcome(of request: borrowing HTTPRequest, over transport: any Transport) -> Secret {
    do throws(TransportFault) {
      var reply = try transport.exchange(request)
      return reply.encode(capacity: 2 * reply.body.count + 256)
    } catch {
      return error.encoded
    }
  }

  private static func understood<Value: ~Copyable>(
    _ message: borrowing Secret,
    _ parse: (UnsafeRawBufferPointer) throws(JSONReader.Malformed) -> Value
  ) throws(KeychainError) -> Value {
    do throws(JSONReader.Malformed) { return try message.withUnsafeBytes(parse) } catch { throw misuse }
  }

  private static func message() throws(KeychainError) -> Secret? {
    guard let length = try bytes(ExchangeFrame.lengthSize) else { return nil }
    guard let size = length.withUnsafeBytes({ ExchangeFrame.size($0) }), let message = try bytes(size) else {
      throw misuse
    }
    return message
  }

  /// Exactly `count` bytes; `nil` at the end.
  private static func bytes(_ count: Int) throws(KeychainError) -> Secret? {
    var read = Secret(capacity: count)
    while read.count < count {
      let left = count - read.count
      var outcome = 0
      read.append(count: left) { buffer in
        outcome = StandardStreams.read(0, into: buffer)
        return max(0, outcome)
      }
      if outcome > 0 { continue }
      if outcome == 0, read.isEmpty { return nil }
      throw misuse
    }
    return read
  }

  private static var misuse: KeychainError {
    KeychainError(
      "llavero-network is started by llavero", hint: "see 'llavero keychain --help'", status: .usage)
  }
}

/// Reaches no server.
private final class RefusingTransport: Transport {
  private let reason: String

  init(_ reason: String) { self.reason = reason }

  func exchange(_ request: borrowing HTTPRequest) throws(TransportFault) -> HTTPReply {
    throw .unreachable(reason)
  }
}
