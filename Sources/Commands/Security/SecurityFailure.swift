import Keychain
import ToolCommands

enum SecurityFailure: Error {
  /// The call is wrong; the command's usage is printed.
  case usage(String)
  case told([String])
  /// The status of a function of Keychain Services, and llavero's explanation.
  case status(SecurityStatus, of: String, because: KeychainError?)

  var result: Int32 {
    switch self {
    case .usage: 2
    case .told: 1
    case .status(let status, _, _): status.rawValue
    }
  }

  init(_ error: KeychainError, of function: String) {
    // The line that scripts look for says everything.
    let saysAll = error == .itemNotFound || error == .duplicateItem
    self = .status(SecurityStatus(error), of: function, because: saysAll ? nil : error)
  }

  /// - Parameter command: the command that failed.
  func report(_ command: SecurityOperation) {
    switch self {
    case .usage(let what):
      Self.say("security: \(command.name): \(what)")
      Self.say(TextForTerminal(stringLiteral: command.usageText))
    case .told(let lines):
      for line in lines { Self.say("\(line)") }
    case .status(let status, let function, let failure):
      Self.report(status, of: function, because: failure)
    }
  }

  static func report(_ status: SecurityStatus, of function: String, because failure: KeychainError?) {
    say("security: \(function): \(status.message)")
    failure?.failure.report()
  }

  static func say(_ line: TextForTerminal) {
    // If that fails, there is nobody to tell.
    try? StandardStreams.write("\(line)\n" as TextForTerminal, to: 2)
  }
}

/// Turns an error into the status of a function of Keychain Services.
func securing<Result: ~Copyable>(
  _ function: String, _ body: () throws(KeychainError) -> Result
) throws(SecurityFailure) -> Result {
  do {
    return try body()
  } catch {
    throw SecurityFailure(error, of: function)
  }
}

/// Runs `body`, which writes the output.
func writing(_ body: () throws(KeychainError) -> Void) throws(SecurityFailure) {
  do {
    try body()
  } catch {
    throw .status(.io, of: "write", because: error)
  }
}
