import Bytes

/// An error in words.
public struct Failure: Hashable, Sendable {
  /// One line in lowercase without a full stop and the program's name. It contains no secret, and its invisible
  /// characters are escaped, because tools pass it on to a terminal unchanged.
  public let message: String
  /// What to do about it, if anything can be done.
  public let hint: Hint?
  /// The exit status of a command that fails for this reason.
  public let status: ExitStatus

  /// Creates a failure, and escapes the message's invisible characters.
  public init(_ message: String, hint: Hint? = nil, status: ExitStatus) {
    self.message = showingInvisible(message)
    self.hint = hint
    self.status = status
  }
}

extension KeychainError {
  /// An error in words.
  public init(_ message: String, hint: Hint? = nil, status: ExitStatus) {
    self = .described(Failure(message, hint: hint, status: status))
  }

  /// An error in words.
  public static func failure(_ message: String, hint: Hint? = nil, status: ExitStatus) -> KeychainError {
    KeychainError(message, hint: hint, status: status)
  }
}
