package import Age
package import Keychain

extension KeychainError {
  init(_ error: AgeError, path: String) {
    switch error {
    case .read(let errno): self = .system(operation: "read", path: path, errno: errno)
    case .outOfMemory(let bytes): self = .notEnoughMemory(needed: bytes >> 20, available: 0)
    case .workFactorTooHigh(let logN, let limit):
      self = .damaged(path: path, detail: "its passphrase takes 2^\(logN) steps, more than 2^\(limit)")
    case .header(.unsupportedVersion): self = .damaged(path: path, detail: "it is of another age version")
    case .header(.notAge): self = .damaged(path: path, detail: "it is not an age file")
    case .header, .armor: self = .damaged(path: path, detail: "its header is malformed")
    case .headerMAC: self = .damaged(path: path, detail: "its header was altered")
    case .noMatch: self = .wrongIdentity(path: path)
    case .identityGone: self = .locked(path: path)
    case .payload(.chunk(let chunk)): self = .damaged(path: path, detail: "its chunk \(chunk) was altered")
    case .payload: self = .damaged(path: path, detail: "it was cut short or extended")
    case .invalidKey, .invalidKeyLine, .noKeys, .keyFileTooLarge:
      self = .damaged(path: path, detail: "it holds no age identity")
    case .emptyPassphrase: self = .wrongPassphrase(path: path)
    case .plugin(let name, let fault): self = .slot(.pluginFailed(name: name, .init(fault)))
    case .workFactorTooLow, .noRecipients, .incompatibleRecipients:
      self = .damaged(path: path, detail: "it can't be encrypted")
    }
  }
}

extension KeychainError.PluginFault {
  package init(_ fault: PluginFault) {
    switch fault {
    case .notFound: self = .notFound
    case .notStarted(let errno): self = .notStarted(errno: errno)
    case .connection, .ended: self = .ended
    case .timedOut: self = .timedOut
    case .wrongKey: self = .wrongKey
    case .malformedStanza, .stanzaTooLarge, .tooManyCommands, .malformedCommand, .noStanza, .repeatedLabels,
      .repeatedFileKey:
      self = .brokeProtocol
    case .reported(_, let message): self = .reported(message)
    }
  }
}
