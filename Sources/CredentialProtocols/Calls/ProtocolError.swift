public import Keychain

/// An error that keeps a tool's request from being answered. It contains none of the request's values.
public enum ProtocolError: Error, Hashable, Sendable {
  /// A line has no `=`. Lines are numbered from 1.
  case lineWithoutEqualsSign(line: Int)
  /// A line contains a NUL byte, which ends a text in C.
  case lineWithNUL(line: Int)
  /// A value contains a carriage return, which ends a line for some programs (CVE-2024-50338).
  case carriageReturn(key: String)
  /// A line is longer than `limit` bytes.
  case lineTooLong(line: Int, limit: Int)
  /// The whole request is longer than `limit` bytes.
  case requestTooLong(limit: Int)
  /// The input ended in the middle of a line.
  case unfinishedLine(line: Int)
  /// The value of `key` can't be understood.
  case unusableValue(key: String)
  /// A URL can't be parsed.
  case unusableURL(URLFault)
  /// A reference to a secret can't be parsed.
  case unusableReference
  /// The protocol can't carry a byte of the answer, or its length.
  case unspeakableAnswer(key: String)
  /// Reading the request failed.
  case input(errno: Int32)
  /// The keychain failed.
  case keychain(KeychainError)
  /// An error already described in words.
  case refused(Refusal)

  /// The fault in a URL.
  public enum URLFault: Hashable, Sendable {
    /// It doesn't begin with a scheme and `://`.
    case noScheme
    /// A `%` is not followed by two hexadecimal digits, or stands for NUL.
    case badEscape
    /// A decoded part contains a line break (CVE-2020-5260).
    case lineBreak
    /// The host or port can't be understood.
    case badHost
  }
}

/// Calls the keychain, and rethrows its error as a protocol error.
func throwingProtocolError<Result: ~Copyable>(
  _ call: @autoclosure () throws(KeychainError) -> Result
) throws(ProtocolError) -> Result {
  do { return try call() } catch { throw .keychain(error) }
}

/// Runs `body` with the keychain, and rethrows its error as a protocol error.
func throwingProtocolError<Result: ~Copyable>(
  _ body: () throws(KeychainError) -> Result
) throws(ProtocolError) -> Result {
  do { return try body() } catch { throw .keychain(error) }
}
