import Keychain
import Terminals
import SecurityCodes

/// Why a command of `security` failed.
enum SecurityFailure: Error {
  /// The call is wrong; the command's usage is shown.
  case usage(String)
  /// All is said in these lines.
  case told([String])
  /// Something that has no meaning here, and why.
  case unimplemented(String)
  /// A function of Keychain Services would have returned this. The rest is what llavero says of it.
  case status(SecurityStatus, of: String, because: Failure?)

  /// What the command returns.
  var result: Int32 {
    switch self {
    case .usage: 2
    case .told: 1
    case .unimplemented: SecurityStatus.unimplemented.rawValue
    case .status(let status, _, _): status.rawValue
    }
  }

  init(_ error: KeychainError, of function: String) {
    let status = SecurityStatus(error)
    switch status {
    // All is said in the one line that scripts look for.
    case .itemNotFound, .duplicateItem: self = .status(status, of: function, because: nil)
    default: self = .status(status, of: function, because: Failure(error))
    }
  }

  init(_ failure: Failure, of function: String) {
    let status: SecurityStatus =
      if let cause = failure.cause {
        SecurityStatus(cause)
      } else {
        switch failure.status {
        case .done, .keychain: .notAvailable
        case .nothingMatched: .itemNotFound
        case .usage: .param
        }
      }
    self = .status(status, of: function, because: failure)
  }

  /// Tells the person.
  ///
  /// - Parameter command: the command that failed.
  func report(_ command: SecurityOperation) {
    switch self {
    case .usage(let what):
      Self.say("security: \(command.name): \(what)")
      Self.say(TextForTerminal(stringLiteral: command.usageText))
    case .told(let lines):
      for line in lines { Self.say("\(line)") }
    case .unimplemented(let why):
      Self.say("security: \(command.name) \(terminalText(why))")
    case .status(let status, let function, let failure):
      Self.say("security: \(function): \(status.message)")
      failure?.report()
    }
  }

  static func say(_ line: TextForTerminal) {
    // Where that fails there is nobody to tell.
    try? StandardStreams.write("\(line)\n" as TextForTerminal, to: 2)
  }
}

/// Runs `body` and turns its error into that of a function of Keychain Services.
func securing<Result: ~Copyable>(
  _ function: String, _ body: () throws(KeychainError) -> Result
) throws(SecurityFailure) -> Result {
  do {
    return try body()
  } catch {
    throw SecurityFailure(error, of: function)
  }
}

/// The same.
func securing<Result: ~Copyable>(
  _ function: String, _ body: () throws(Failure) -> Result
) throws(SecurityFailure) -> Result {
  do {
    return try body()
  } catch {
    throw SecurityFailure(error, of: function)
  }
}
