package import EncryptedFile
package import Forwarding
package import Keychain
package import KeychainChoice

/// A chosen keychain, not yet open.
package final class SelectedKeychain {
  private let selection: KeychainSelection
  package let location: VaultLocation
  let choice: KeychainChoice?
  /// The search list, if no keychain was named.
  private let others: KeychainList
  /// The keychain, if choosing it meant opening it.
  private let opened: OpenKeychain?

  init(
    _ selection: KeychainSelection, _ location: VaultLocation, _ choice: KeychainChoice?,
    _ others: KeychainList, opened: OpenKeychain? = nil
  ) {
    self.selection = selection
    self.location = location
    self.choice = choice
    self.others = others
    self.opened = opened
  }

  /// The same keychain, to be opened without asking anybody.
  package var withoutAsking: SelectedKeychain {
    var selection = selection
    selection.mayPrompt = false
    return SelectedKeychain(selection, location, choice, others, opened: opened)
  }

  /// The same, whose choice meant opening it.
  func opened(_ keychain: OpenKeychain) -> SelectedKeychain {
    SelectedKeychain(selection, location, keychain.choice, others, opened: keychain)
  }

  /// Opens the keychain, never another one in its place.
  ///
  /// - Throws: ``KeychainError`` if the chosen keychain can't be used.
  package func open() throws(KeychainError) -> OpenKeychain {
    if let opened { return addingOthers(to: opened) }
    // The choice has already looked for a forwarded keychain; an agent that doesn't answer costs time.
    var open = if let choice { try open(choice) } else { try openWhatAnswers() }
    open.renew(with: TokenRenewal(stateFolder: location.stateFolder))
    return addingOthers(to: open)
  }

  private func addingOthers(to open: OpenKeychain) -> OpenKeychain {
    let renewer = open.renewer ?? TokenRenewal(stateFolder: location.stateFolder)
    return adding(
      others, to: open,
      prepare: {
        var other = $0
        other.renew(with: renewer)
      },
      onUnusable: { name, error in
        StandardStreams.say(
          "the keychain \(name) can't be used, and was passed over: \(error.message)")
      }, onHidden: StandardStreams.warn,
      onHiding: { name, items in
        let reveal: Hint = "\(commandOf: HiddenLogin.revealing(items, in: name))"
        StandardStreams.say(
          "the refused login is in the keychain \(name), which others use, too; it is hidden on this machine "
            + "until somebody changes it, or until \(reveal)")
      })
  }
}

extension SelectedKeychain: KeychainOpener {
  package var mustBeForwarded: Bool { selection.mustBeForwarded }

  package func file(_ keychain: ListedKeychain) throws(KeychainError) -> EncryptedFileKeychain {
    try selection.encryptedFile(keychain)
  }

  package func desktop() throws(KeychainError) -> any DesktopKeychain {
    let settings = try selection.secretServiceSettings(
      at: location, isInUse: choice == nil || choice?.kind == .secretService)
    guard let provider = Program.secretService else {
      throw .unavailable(reason: "this program has no Secret Service")
    }
    return try provider.open(settings)
  }

  package func forwarded() throws(KeychainError) -> ForwardedKeychain { try selection.forwardedKeychain() }

  package func remote(_ keychain: ListedKeychain) throws(KeychainError) -> any RemoteKeychain {
    try RemoteKeychains(selection, location).open(keychain)
  }
}
