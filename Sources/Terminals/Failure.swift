package import CredentialProtocols
package import Keychain

/// What a command ends with, as llavero(1) says under "EXIT STATUS".
package enum Status: Int32 {
  case done = 0
  case nothingMatched = 1
  case keychain = 2
  case usage = 64
}

/// Why a command failed, as it is told to the person: one line, perhaps one with what to do, and a status.
package struct Failure: Error {
  /// Without the program's name, in small letters, without a full stop.
  package let message: String
  /// What to do about it, where that can be followed.
  package let hint: Hint?
  /// What the program ends with.
  package let status: Status
  /// The keychain's error that it tells, if it is one.
  package internal(set) var cause: KeychainError?

  package init(_ message: String, hint: Hint? = nil, status: Status) {
    self.message = message
    self.hint = hint
    self.status = status
  }

  /// Tells the person.
  package func report() {
    StandardStreams.say("\(message)")
    if let hint { StandardStreams.say("hint: \(hint)") }
  }
}

extension Failure {
  /// What ArgumentParser found wrong with a command line, in this program's manner.
  package init(usage message: String, helpCommand: String) {
    var text = String(message.prefix { $0 != "\n" })
    if text.hasSuffix(".") { text.removeLast() }
    if let stop = text.firstIndex(of: "."), text[stop...].hasPrefix(". Did you mean") {
      text = "\(text[..<stop]); did you mean\(text[stop...].dropFirst(14))"
    }
    let offer = ". Please provide one of"
    if let stop = text.indices.first(where: { text[$0...].hasPrefix(offer) }) {
      text = "\(text[..<stop]); there are\(text[stop...].dropFirst(offer.count))"
    }
    self.init(
      text.prefix(1).lowercased() + text.dropFirst(), hint: "see '\(prose: helpCommand)'", status: .usage)
  }
}

/// Turns the error of an expression into a ``Failure``. An expression needs no note of what it throws, as a closure does.
package func explaining<Result: ~Copyable>(
  _ expression: @autoclosure () throws(KeychainError) -> Result
) throws(Failure) -> Result {
  do { return try expression() } catch { throw Failure(error) }
}

/// The same for what takes more than an expression.
package func explaining<Result: ~Copyable>(
  _ body: () throws(KeychainError) -> Result
) throws(Failure) -> Result {
  do { return try body() } catch { throw Failure(error) }
}
