package import Keychain

/// Why it is unknown which keychain to use, or how.
package enum KeychainChoiceFault: KeychainFault {
  /// The file with the search list can't be understood.
  case unreadableList(path: String, KeychainList.Malformed)
  /// The search list can't be changed this way.
  case refusedChange(KeychainList.Fault)
  /// The settings of a listed keychain can't be understood.
  case unusableOption(keychain: String, option: String)
  /// The file that records the choice can't be understood, so nobody knows where the items are.
  case unreadableChoice(path: String)
  /// The chosen keychain is not in the search list any more.
  case unlistedChoice(String)
  /// An environment variable or option has an invalid value.
  case unusableSetting(name: String, SettingFault)
  /// A session is neither `encrypted` nor `plain`.
  case unknownSession

  /// The value that a setting needs.
  package enum SettingFault: Hashable, Sendable {
    /// A duration such as 90s, 15m, 8h or 2d, from a second to 30 days.
    case noDuration
    /// A number of seconds, from 0.001 to 86,400.
    case noSeconds
    /// A whole number of seconds, from 0 to 86,400.
    case noWholeSeconds
    /// A value of ``UnlockCache/Mode``.
    case noUnlockCacheMode
    case noPromptWord
  }
}

extension KeychainChoiceFault {
  package var kind: KeychainError.Kind {
    switch self {
    case .unreadableList, .unreadableChoice: .damaged
    case .refusedChange, .unusableOption, .unlistedChoice, .unusableSetting, .unknownSession: .unavailable
    }
  }

  package var failure: Failure {
    switch self {
    case .unreadableList(let path, let malformed):
      var correcting: Hint = "correct the line, or delete it and add that keychain again"
      if let copy = KeychainList.usableCopy(of: path) {
        correcting = "correct the line, or put the list back as it was with \(command: "cp", copy, path)"
      }
      return Failure(
        "cannot tell which keychains are used: line \(malformed.line) of \(path) can't be understood: "
          + malformed.fault.text,
        hint: "--keychain file and the like still work; \(correcting)", status: .keychain)
    case .refusedChange(let fault):
      return Failure(
        "the list is not changed: \(fault.text)",
        hint: fault == .twice
          ? "choose another name; 'llavero keychain list' shows what there is, and 'llavero keychain remove' takes it out"
          : nil, status: .usage)
    case .unusableOption(let keychain, let option):
      return Failure(
        "the keychain \(keychain) has an option '\(option)' that can't be understood",
        hint: "\(command: "llavero", "keychain", "remove", keychain) and 'llavero keychain add' set it anew",
        status: .keychain)
    case .unreadableChoice(let path):
      return Failure(
        "cannot tell which keychain is used: \(path) can't be understood",
        hint:
          "say which with 'llavero keychain use file', 'llavero keychain use secret-service' or 'llavero keychain use forwarded'",
        status: .keychain)
    case .unlistedChoice(let name):
      return Failure(
        "the keychain \(name) was chosen for new items, and is not in the list",
        hint: "add it again with 'llavero keychain add', or choose another one with 'llavero keychain use'",
        status: .keychain)
    case .unusableSetting(let name, .noDuration):
      return Failure("\(name) has to be a time like 90s, 15m or 8h, from 1s to 30d", status: .usage)
    case .unusableSetting(let name, .noSeconds):
      return Failure("\(name) has to be a number of seconds, from 0.001 to 86400", status: .usage)
    case .unusableSetting(let name, .noWholeSeconds):
      return Failure("\(name) has to be a whole number of seconds, from 0 to 86400", status: .usage)
    case .unusableSetting(let name, .noUnlockCacheMode):
      return Failure("\(name) has to be agent or none", status: .usage)
    case .unusableSetting(let name, .noPromptWord):
      return Failure("\(name) has to be never, or not be set", status: .usage)
    case .unknownSession:
      return Failure("a session is either encrypted or plain", status: .usage)
    }
  }
}

extension KeychainError {
  /// It is unknown which keychain to use, or how.
  package static func choice(_ fault: KeychainChoiceFault) -> KeychainError { KeychainError(fault) }
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
