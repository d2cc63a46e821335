package import UnlockCache

extension Failure {
  /// The failure that says a key may still be kept; `nil` if nothing keeps it.
  package init?(keptBy keepers: [UnlockKeeper]) {
    var isInKeyring = false
    var folders: [String] = []
    for keeper in keepers {
      switch keeper {
      case .keyring: isInKeyring = true
      case .agent(let folder): folders.append(folder)
      }
    }
    if let folder = folders.first {
      self.init(
        "the keychain may still be unlocked: its agent in \(folder) is running and does not answer",
        hint:
          "see which process it is with \(command: "fuser", "\(folder)/agent.lock"), and end it with 'kill -KILL'",
        status: .keychain)
    } else if isInKeyring {
      self.init(
        "the keychain may still be unlocked: the kernel keyring did not drop its key",
        hint: "see it with 'keyctl show @u'", status: .keychain)
    } else {
      return nil
    }
  }
}
