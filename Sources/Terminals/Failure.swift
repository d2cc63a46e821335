package import CredentialProtocols
package import Keychain

/// The reason why a command failed, for the user.
package struct Failure: Error {
  /// One line, without the program's name, in lowercase, without a full stop.
  package let message: String
  /// What to do about it, if anything can be done.
  package let hint: Hint?
  package let status: ExitStatus
  /// The keychain's error behind this failure, if there is one.
  package internal(set) var cause: KeychainError?

  package init(_ message: String, hint: Hint? = nil, status: ExitStatus) {
    self.message = message
    self.hint = hint
    self.status = status
  }

  package func report() {
    StandardStreams.say("\(message)")
    if let hint { StandardStreams.say("hint: \(hint)") }
  }
}

extension Failure {
  /// Rewords ArgumentParser's message about a wrong command line.
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
    // ArgumentParser puts several values on lines of their own.
    let values = message.split(separator: "\n").filter { $0.hasPrefix("  - ") }.map { "'\($0.dropFirst(4))'" }
    if text.hasSuffix(" the following:"), let last = values.last {
      text.removeLast(" the following:".count)
      text += " \(values.dropLast().joined(separator: ", ")) or \(last)"
    }
    self.init(
      text.prefix(1).lowercased() + text.dropFirst(), hint: "see '\(prose: helpCommand)'", status: .usage)
  }
}

/// Turns an expression's error into a ``Failure``, without the `throws` annotation that a closure needs.
package func explaining<Result: ~Copyable>(
  _ expression: @autoclosure () throws(KeychainError) -> Result
) throws(Failure) -> Result {
  do { return try expression() } catch { throw Failure(error) }
}

package func explaining<Result: ~Copyable>(
  _ body: () throws(KeychainError) -> Result
) throws(Failure) -> Result {
  do { return try body() } catch { throw Failure(error) }
}
