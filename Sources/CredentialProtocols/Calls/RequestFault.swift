public import Keychain

/// Why a tool's request can't be answered. It contains none of the request's values.
public enum RequestFault: KeychainFault {
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

extension RequestFault {
  /// A request that can't be understood is a wrong call.
  public var kind: KeychainError.Kind { .unusable }

  /// The fault in words.
  public var failure: Failure {
    switch self {
    case .lineWithoutEqualsSign(let line):
      Failure("line \(line) of the request has no '='", status: .usage)
    case .lineWithNUL(let line):
      Failure("line \(line) of the request has a NUL byte in it", status: .usage)
    case .carriageReturn(let key):
      Failure(
        "the value of '\(key)' has a carriage return in it", hint: "end lines with a line feed alone",
        status: .usage)
    case .lineTooLong(let line, let limit):
      Failure("line \(line) of the request is longer than \(limit) bytes", status: .usage)
    case .requestTooLong(let limit):
      Failure("the request is longer than \(limit) bytes", status: .usage)
    case .unfinishedLine(let line):
      Failure(
        "the request ends in the middle of line \(line)", hint: "end each line with a line feed",
        status: .usage)
    case .unusableValue(let key):
      Failure("the value of '\(key)' can't be understood", status: .usage)
    case .unusableURL(.noScheme):
      Failure("the URL does not begin with a scheme like https://", status: .usage)
    case .unusableURL(.badEscape):
      Failure("the URL has a '%' that is not followed by two hexadecimal digits", status: .usage)
    case .unusableURL(.lineBreak):
      Failure("the URL has a line break or a NUL byte in it", status: .usage)
    case .unusableURL(.badHost):
      Failure("the URL's host or port can't be understood", status: .usage)
    case .unusableReference:
      Failure("the reference can't be understood", hint: .references, status: .usage)
    case .unspeakableAnswer(let key):
      Failure(
        "the item's \(key) can't be sent in this protocol",
        hint: "it holds a line break, or is too long; see it with 'llavero get --json --secret'",
        status: .keychain)
    case .input(let errno):
      Failure("cannot read the request: \(errorText(errno))", status: .usage)
    }
  }
}

extension KeychainError {
  /// A tool's request can't be answered.
  public static func request(_ fault: RequestFault) -> KeychainError { KeychainError(fault) }

  /// A wrong call.
  static func misused(_ message: String, hint: Hint? = nil) -> KeychainError {
    .failure(message, hint: hint, status: .usage)
  }
}

extension Hint {
  /// How to write a reference to a secret.
  public static let references: Hint =
    "write llavero://SERVICE/ACCOUNT or llavero+https://USER@HOST/PATH; see llavero-run(1)"
}
