import Bytes
import Forwarding
import Keychain
import Terminals

/// A connection to control the agent that forwards the keychain.
struct ForwardingAgentControl {
  private let connection: ForwardingConnection

  /// Connects; `nil` if no agent runs.
  ///
  /// - Throws: ``Failure`` if there is an agent that this program can't talk to.
  init?(_ places: ForwardingPlaces) throws(Failure) {
    do throws(KeychainError) {
      connection = try ForwardingConnection(toOwnAgent: places.controlSocket)
    } catch .forwarding(.unreachable) {
      return nil
    } catch {
      throw Failure(error)
    }
  }

  var process: Int { connection.process }

  /// - Throws: ``Failure`` if the agent doesn't answer, or refuses.
  func ask(_ request: ControlRequest) throws(Failure) -> ControlResponse {
    let text = try explaining { () throws(KeychainError) in
      try connection.exchange(request.encoded, ControlExtension.name)
    }
    guard let response = text.withUnsafeBytes({ try? ControlResponse(parsing: $0) }) else {
      throw Failure(
        "the forwarding agent is of another version", hint: "restart it: 'llavero forward stop'",
        status: .keychain)
    }
    if let problem = response.problem { throw Failure("\(problem)", status: .keychain) }
    return response
  }

  /// Returns whether the agent ends within a time in milliseconds.
  func waitForEnd(_ time: Int) -> Bool { connection.waitForEnd(time) }
}

extension ForwardingPlaces {
  /// - Throws: ``Failure`` without a home.
  static func here() throws(Failure) -> ForwardingPlaces {
    try explaining { () throws(KeychainError) in try ForwardingPlaces() }
  }

  /// The agent, started if necessary.
  ///
  /// - Parameter options: for the agent, if it has to be started.
  func runningAgent(_ options: [String] = []) throws(Failure) -> ForwardingAgentControl {
    if let running = try ForwardingAgentControl(self) { return running }
    try ForwardStartCommand.start(options)
    guard let started = try ForwardingAgentControl(self) else {
      throw Failure("the forwarding agent has ended again", status: .keychain)
    }
    return started
  }
}
