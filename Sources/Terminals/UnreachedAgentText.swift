extension Failure {
  /// The failure that says a key may still be kept; `nil` if nothing keeps it.
  ///
  /// - Parameter folders: those of the agents that did not confirm that they have forgotten it.
  package init?(keptByAgentsIn folders: [String]) {
    guard let folder = folders.first else { return nil }
    self.init(
      "the keychain may still be unlocked: its agent in \(folder) is running and does not answer",
      hint:
        "see which process it is with \(command: "fuser", "\(folder)/agent.lock"), and end it with 'kill -KILL'",
      status: .keychain)
  }
}
