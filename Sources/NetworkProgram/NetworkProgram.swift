import Bytes
import CLinux
import Glibc
import Keychain
import SignIn
import ToolCommands

/// `llavero-network`, the companion with access to the network. Programs that hold a keychain start it to fetch
/// something; nobody types it.
package enum NetworkProgram {
  /// Does the work given on standard input, and ends the process.
  package static func main() -> Never {
    Program.begin()
    // Without the program that keeps them, tokens would be lost, and a code spent for nothing.
    clinux_end_with_parent()
    if isAlone { Program.end(ExitStatus.keychain.rawValue) }
    do throws(KeychainError) {
      switch CString.arguments(from: 1).first?.text {
      case "--version"?, "-V"?:
        try StandardStreams.write(raw: Program.versionLine)
        // As of a library that the loader doesn't find: `Companion` asks so whether it can be used.
        if let obstacle = CurlTransport.obstacle { throw .failure(obstacle, status: .keychain) }
      case ExchangeService.operand?: try ExchangeService.run(timeout: timeout)
      case nil: try StandardStreams.write(outcome().encoded)
      default: throw misuse
      }
    } catch {
      Program.end(error)
    }
    Program.end(ExitStatus.done.rawValue)
  }

  /// The longest exchange with a server, in milliseconds: `LLAVERO_NETWORK_TIMEOUT`, which is in seconds.
  ///
  /// - Throws: ``KeychainError`` if that isn't a whole number from 1 to 600.
  private static func timeout() throws(KeychainError) -> Int {
    guard let text = Variables.value("LLAVERO_NETWORK_TIMEOUT"), !text.isEmpty else { return 30_000 }
    guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let seconds = Int(text), 1...600 ~= seconds else {
      throw .failure(
        "LLAVERO_NETWORK_TIMEOUT has to be a whole number of seconds, from 1 to 600", status: .usage)
    }
    return seconds * 1000
  }

  /// Whether the program that asked has ended already.
  private static var isAlone: Bool {
    var output = pollfd(fd: 1, events: 0, revents: 0)
    return poll(&output, 1, 0) > 0 && output.revents & Int16(POLLHUP | POLLERR) != 0
  }

  private static var misuse: KeychainError {
    KeychainError(
      "\(Executables.network) is started by llavero", hint: "see \(command: "llavero", "login", "--help")",
      status: .usage)
  }

  private static func outcome() throws(KeychainError) -> SignInOutcome {
    if StandardStreams.isTerminal(0) { throw misuse }
    let text = try StandardStreams.readAll(0, limit: SignInWork.maximumSize, what: "the work")
    var work: SignInWork
    do throws(JSONReader.Malformed) {
      work = try text.withUnsafeBytes { (text) throws(JSONReader.Malformed) in try SignInWork(parsing: text) }
    } catch {
      throw misuse
    }
    guard let place = SignInPlace(work.url) else { return .unknownPlace }
    let limit: Int
    do throws(KeychainError) {
      // Describing a place fetches nothing.
      limit = work.task == .describe ? 0 : try timeout()
    } catch {
      // The calling program reports it, with the operation that failed.
      return .failed(message: error.message, hint: nil, pause: 0)
    }
    let transport = CurlTransport(
      timeout: limit, proxyLogin: work.proxyLogin.take(), settings: GitConfigCommand.httpSettings)
    let outcome = SignInTask(at: place, over: transport, mayUseTerminal: work.mayUseTerminal).outcome(
      of: work)
    guard let demand = transport.proxyDemand else { return outcome }
    switch consume outcome {
    case .failed: return SignInText.outcome(demand)
    case .unknownPlace: return SignInText.outcome(demand)
    case let outcome: return outcome
    }
  }
}
