import Keychain
package import KeychainChoice

extension Failure {
  /// Describes why no keychain can be chosen. This is the only place that turns these errors into text.
  package init(_ error: KeychainChoiceError) {
    switch error {
    case .unknownName(let name):
      self.init(
        "there is no keychain '\(name)'",
        hint: "use file, secret-service, forwarded, or one that 'llavero keychain list' shows",
        status: .usage)
    case .unreadableList(let path, let malformed):
      var correcting: Hint = "correct the line, or delete it and add that keychain again"
      if let copy = KeychainList.usableCopy(of: path) {
        correcting = "correct the line, or put the list back as it was with \(command: "cp", copy, path)"
      }
      self.init(
        "cannot tell which keychains are used: line \(malformed.line) of \(path) can't be understood: "
          + malformed.fault.text,
        hint: "--keychain file and the like still work; \(correcting)", status: .keychain)
    case .refusedChange(let fault): self.init("the list is not changed: \(fault.text)", status: .usage)
    case .unusableOption(let keychain, let option):
      self.init(
        "the keychain \(keychain) has an option '\(option)' that can't be understood",
        hint: "\(command: "llavero", "keychain", "remove", keychain) and 'llavero keychain add' set it anew",
        status: .keychain)
    case .unreadableChoice(let path):
      self.init(
        "cannot tell which keychain is used: \(path) can't be understood",
        hint:
          "say which with 'llavero keychain use file', 'llavero keychain use secret-service' or 'llavero keychain use forwarded'",
        status: .keychain)
    case .unlistedChoice(let name):
      self.init(
        "the keychain \(name) was chosen for new items, and is not in the list",
        hint: "add it again with 'llavero keychain add', or choose another one with 'llavero keychain use'",
        status: .keychain)
    case .unusableSetting(let name, .noDuration):
      self.init("\(name) has to be a time like 90s, 15m or 8h, from 1s to 30d", status: .usage)
    case .unusableSetting(let name, .noSeconds):
      self.init("\(name) has to be a number of seconds, from 0.001 to 86400", status: .usage)
    case .unusableSetting(let name, .noWholeSeconds):
      self.init("\(name) has to be a whole number of seconds, from 0 to 86400", status: .usage)
    case .unusableSetting(let name, .noUnlockCacheMode):
      self.init("\(name) has to be agent or none", status: .usage)
    case .unusableSetting(let name, .noPromptWord):
      self.init("\(name) has to be never, or not be set", status: .usage)
    case .unknownSession:
      self.init("a session is either encrypted or plain", status: .usage)
    case .keychain(let error):
      self.init(error)
    }
  }
}

extension KeychainList.Fault {
  package var text: String {
    switch self {
    case .noName: "a name has small letters, digits, and . - _ after the first, and at most 64 of them"
    case .unknownKind: "it names no kind of keychain that can be added"
    case .noPlace: "it doesn't say where the keychain is"
    case .noOption: "an option has to be NAME=VALUE"
    case .twice: "there is one of that name already"
    case .tooMany: "there are \(KeychainList.maximumCount) keychains already"
    case .isCutOff: "the file is empty"
    case .notText: "it is not UTF-8 text, or has a % that begins no escape"
    }
  }
}

/// Turns an expression's error into a ``Failure``, without the `throws` annotation that a closure needs.
package func explaining<Result: ~Copyable>(
  choice expression: @autoclosure () throws(KeychainChoiceError) -> Result
) throws(Failure) -> Result {
  do { return try expression() } catch { throw Failure(error) }
}

package func explaining<Result: ~Copyable>(
  _ body: () throws(KeychainChoiceError) -> Result
) throws(Failure) -> Result {
  do { return try body() } catch { throw Failure(error) }
}
