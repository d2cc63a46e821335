public import Keychain

/// Why a tool's request could not be answered. Says nothing of what the request held.
public enum ProtocolError: Error, Hashable, Sendable {
  /// A line has no `=`. Lines count from 1.
  case lineWithoutEqualsSign(line: Int)
  /// A line holds a NUL byte, which programs in C would take for its end.
  case lineWithNUL(line: Int)
  /// A value holds a carriage return, which some programs take for a line's end (CVE-2024-50338).
  case carriageReturn(key: String)
  /// A line is longer than `limit` bytes.
  case lineTooLong(line: Int, limit: Int)
  /// The whole request is longer than `limit` bytes.
  case requestTooLong(limit: Int)
  /// The input ended in the middle of a line.
  case unfinishedLine(line: Int)
  /// The value of `key` can't be understood.
  case unusableValue(key: String)
  /// A URL can't be taken apart.
  case unusableURL(URLFault)
  /// A reference to a secret can't be taken apart; in a file, that of a line, counted from 1.
  case unusableReference(line: Int? = nil)
  /// A line of a file of variables is not `NAME=VALUE`. Lines count from 1.
  case unusableVariable(line: Int)
  /// A line of a file of variables has a reference in quotes.
  case quotedReference(line: Int)
  /// The answer holds a byte, or is of a length, that the protocol can't carry.
  case unspeakableAnswer(key: String)
  /// Reading the request failed.
  case input(errno: Int32)
  /// The keychain failed.
  case keychain(KeychainError)
  /// A reason that is already in words.
  case refused(Refusal)

  /// What is wrong with a URL.
  public enum URLFault: Hashable, Sendable {
    /// It doesn't begin with a scheme and `://`.
    case noScheme
    /// A `%` is not followed by two hexadecimal digits, or stands for NUL.
    case badEscape
    /// A part holds a line break once decoded (CVE-2020-5260).
    case lineBreak
    /// Its host or port can't be understood.
    case badHost
  }
}

/// Calls the keychain, and passes on its error as the protocol's.
func throwingProtocolError<Result: ~Copyable>(
  _ call: @autoclosure () throws(KeychainError) -> Result
) throws(ProtocolError) -> Result {
  do { return try call() } catch { throw .keychain(error) }
}

/// The same for more than an expression.
func throwingProtocolError<Result: ~Copyable>(
  _ body: () throws(KeychainError) -> Result
) throws(ProtocolError) -> Result {
  do { return try body() } catch { throw .keychain(error) }
}
