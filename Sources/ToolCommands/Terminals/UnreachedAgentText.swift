import Keychain

extension KeychainError {
  /// The failure to report if an agent may still keep a key; `nil` if none does.
  ///
  /// - Parameter folders: the folders of agents that did not confirm that they have forgotten it.
  package init?(keptByAgentsIn folders: [String]) {
    guard let folder = folders.first else { return nil }
    self.init(
      "the keychain may still be unlocked: its agent in \(folder) is running and does not answer",
      hint:
        "see which process it is with \(command: "fuser", "\(folder)/agent.lock"), and end it with 'kill -KILL'",
      status: .keychain)
  }
}
