import Keychain
package import KeychainChoice

extension Failure {
  /// Describes why no keychain can be chosen. This is the only place that turns these errors into text.
  package init(_ error: KeychainChoiceError) {
    switch error {
    case .unknownKind(let name):
      self.init(
        "there is no keychain of the kind '\(name)'", hint: "there are file, secret-service and forwarded",
        status: .usage)
    case .unreadableChoice(let path):
      self.init(
        "cannot tell which keychain is used: \(path) can't be understood",
        hint:
          "say which with 'llavero keychain use file', 'llavero keychain use secret-service' or 'llavero keychain use forwarded'",
        status: .keychain)
    case .unusableSetting(let name, .noDuration):
      self.init("\(name) has to be a time like 90s, 15m or 8h, from 1s to 30d", status: .usage)
    case .unusableSetting(let name, .noSeconds):
      self.init("\(name) has to be a number of seconds, from 0.001 to 86400", status: .usage)
    case .unusableSetting(let name, .noWholeSeconds):
      self.init("\(name) has to be a whole number of seconds, from 0 to 86400", status: .usage)
    case .unusableSetting(let name, .noUnlockCacheMode):
      self.init("\(name) has to be auto, keyring, agent or none", status: .usage)
    case .unknownSession:
      self.init("a session is either encrypted or plain", status: .usage)
    case .keychain(let error):
      self.init(error)
    }
  }
}

/// Turns an expression's error into a ``Failure``. Unlike a closure, an expression needs no `throws` annotation.
package func explaining<Result: ~Copyable>(
  choice expression: @autoclosure () throws(KeychainChoiceError) -> Result
) throws(Failure) -> Result {
  do { return try expression() } catch { throw Failure(error) }
}

/// Turns the error of a closure into a ``Failure``.
package func explaining<Result: ~Copyable>(
  _ body: () throws(KeychainChoiceError) -> Result
) throws(Failure) -> Result {
  do { return try body() } catch { throw Failure(error) }
}
