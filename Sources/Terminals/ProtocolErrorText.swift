package import CredentialProtocols
import Keychain

extension Failure {
  /// Describes an error of a protocol. This is the only place that turns these errors into text.
  package init(_ error: ProtocolError) {
    switch error {
    case .lineWithoutEqualsSign(let line):
      self.init("line \(line) of the request has no '='", status: .usage)
    case .lineWithNUL(let line):
      self.init("line \(line) of the request has a NUL byte in it", status: .usage)
    case .carriageReturn(let key):
      self.init(
        "the value of '\(key)' has a carriage return in it", hint: "end lines with a line feed alone",
        status: .usage)
    case .lineTooLong(let line, let limit):
      self.init("line \(line) of the request is longer than \(limit) bytes", status: .usage)
    case .requestTooLong(let limit):
      self.init("the request is longer than \(limit) bytes", status: .usage)
    case .unfinishedLine(let line):
      self.init(
        "the request ends in the middle of line \(line)", hint: "end each line with a line feed",
        status: .usage)
    case .unusableValue(let key):
      self.init("the value of '\(key)' can't be understood", status: .usage)
    case .unusableURL(.noScheme):
      self.init("the URL does not begin with a scheme like https://", status: .usage)
    case .unusableURL(.badEscape):
      self.init("the URL has a '%' that is not followed by two hexadecimal digits", status: .usage)
    case .unusableURL(.lineBreak):
      self.init("the URL has a line break or a NUL byte in it", status: .usage)
    case .unusableURL(.badHost):
      self.init("the URL's host or port can't be understood", status: .usage)
    case .unusableReference:
      self.init("the reference can't be understood", hint: Self.references, status: .usage)
    case .unspeakableAnswer(let key):
      self.init(
        "the item's \(key) can't be sent in this protocol",
        hint: "it holds a line break, or is too long; see it with 'llavero get --json --secret'",
        status: .keychain)
    case .input(let errno):
      self.init("cannot read the request: \(errorText(errno))", status: .usage)
    case .keychain(let error):
      self.init(error)
    case .refused(let refusal):
      let status: ExitStatus =
        switch refusal.cause {
        case .nothingMatched: .nothingMatched
        case .keychain: .keychain
        case .usage: .usage
        }
      self.init(refusal.message, hint: refusal.hint, status: status)
    }
  }

  package static let references: Hint =
    "write llavero://SERVICE/ACCOUNT or llavero+https://USER@HOST/PATH; see llavero-run(1)"

  package var refusal: Refusal {
    let cause: Refusal.Cause =
      switch status {
      case .done, .nothingMatched: .nothingMatched
      case .keychain: .keychain
      case .usage: .usage
      }
    return Refusal(message, hint: hint, cause)
  }
}

/// Turns an expression's error into a ``Failure``, without the `throws` annotation that a closure needs.
package func explaining<Result: ~Copyable>(
  call expression: @autoclosure () throws(ProtocolError) -> Result
) throws(Failure) -> Result {
  do { return try expression() } catch { throw Failure(error) }
}

package func explaining<Result: ~Copyable>(
  _ body: () throws(ProtocolError) -> Result
) throws(Failure) -> Result {
  do { return try body() } catch { throw Failure(error) }
}
