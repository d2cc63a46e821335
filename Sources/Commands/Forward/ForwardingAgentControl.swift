import Bytes
import Forwarding
import Keychain
import ToolCommands

/// A connection to control the agent that forwards the keychain.
struct ForwardingAgentControl {
  private let connection: ForwardingConnection

  /// Connects; `nil` if no agent runs.
  ///
  /// - Throws: ``KeychainError`` if there is an agent that this program can't talk to.
  init?(_ places: ForwardingPlaces) throws(KeychainError) {
    do throws(KeychainError) {
      connection = try ForwardingConnection(toOwnAgent: places.controlSocket)
    } catch {
      if case .unreachable = error.fault(ForwardingFault.self) { return nil }
      throw error
    }
  }

  var process: Int { connection.process }

  /// - Throws: ``KeychainError`` if the agent doesn't answer, or refuses.
  func ask(_ request: ControlRequest) throws(KeychainError) -> ControlResponse {
    let text = try connection.exchange(request.encoded, ControlExtension.name)
    guard let response = text.withUnsafeBytes({ try? ControlResponse(parsing: $0) }) else {
      throw .failure(
        "the forwarding agent is of another version", hint: "restart it: 'llavero forward stop'",
        status: .keychain)
    }
    if let problem = response.problem { throw .failure("\(problem)", status: .keychain) }
    return response
  }

  /// Returns whether the agent ends within a time in milliseconds.
  func waitForEnd(_ time: Int) -> Bool { connection.waitForEnd(time) }
}

extension ForwardingPlaces {
  /// - Throws: ``KeychainError`` without a home.
  static func here() throws(KeychainError) -> ForwardingPlaces {
    try ForwardingPlaces()
  }

  /// The agent, started if necessary.
  ///
  /// - Parameter options: for the agent, if it has to be started.
  func runningAgent(_ options: [String] = []) throws(KeychainError) -> ForwardingAgentControl {
    if let running = try ForwardingAgentControl(self) { return running }
    try ForwardStartCommand.start(options)
    guard let started = try ForwardingAgentControl(self) else {
      throw .failure("the forwarding agent has ended again", status: .keychain)
    }
    return started
  }
}
