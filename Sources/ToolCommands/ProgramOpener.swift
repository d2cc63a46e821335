import Bytes
package import EncryptedFile
package import Forwarding
package import Keychain
package import KeychainChoice

/// Opens the keychain that a command chose, as llavero's own programs do it.
package final class ProgramOpener: KeychainOpener {
  let selection: KeychainSelection
  package let location: VaultLocation
  let choice: KeychainChoice?
  /// The search list, if no keychain was named.
  private let others: KeychainList
  /// The keychain, if choosing it meant opening it.
  private let opened: OpenKeychain?

  package init(
    _ selection: KeychainSelection, _ location: VaultLocation, _ choice: KeychainChoice? = nil,
    _ others: KeychainList = KeychainList(), opened: OpenKeychain? = nil
  ) {
    self.selection = selection
    self.location = location
    self.choice = choice
    self.others = others
    self.opened = opened
  }

  /// The same, without asking anybody.
  package var withoutAsking: ProgramOpener {
    var selection = selection
    selection.mayPrompt = false
    return ProgramOpener(selection, location, choice, others, opened: opened)
  }

  /// The same, whose choice meant opening it.
  func opened(_ keychain: OpenKeychain) -> ProgramOpener {
    ProgramOpener(selection, location, keychain.choice, others, opened: keychain)
  }

  /// Opens the keychain, never another one in its place.
  ///
  /// - Throws: ``KeychainError`` if the chosen keychain can't be used.
  package func open() throws(KeychainError) -> OpenKeychain {
    if let opened { return addingOthers(to: opened) }
    // The choice has already looked for a forwarded keychain; an agent that doesn't answer costs time.
    var open = if let choice { try openChosen(choice) } else { try openWhatAnswers() }
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
        if case .locked = KeychainReadiness(readingFailedWith: error) {
          let unlock: Hint = "\(command: "llavero", "unlock", "--keychain", name)"
          StandardStreams.say("hint: \(unlock) unlocks it")
        } else if case .notMember = error {
          // The line for a member is long, and this comes with every search.
          let sync: Hint = "\(command: "llavero", "sync", name)"
          StandardStreams.say("hint: \(sync) says what a member has to type")
        }
      }, onHidden: StandardStreams.warn,
      onHiding: { name, items in
        StandardStreams.say(
          "the refused login is in the keychain \(name), which others use, too; it is hidden on this machine")
        let reveal: Hint = "\(commandOf: HiddenLogin.revealing(items, in: name))"
        StandardStreams.say("hint: it answers again once somebody changes it, or after \(reveal)")
      })
  }

  // MARK: Each kind

  /// Opens an encrypted file, which may not be in the list yet.
  package func openFile(_ keychain: ListedKeychain) throws(KeychainError) -> EncryptedFileKeychain {
    let own = try location.of(keychain)
    // The calling program is about to open the same file.
    if CommandSlotProgram.isOpening(own.vaultFile) { throw .locked(path: own.vaultFile) }
    let environment = KeychainEnvironment()
    let passphrases = selection.passphraseSources(for: .vault(path: own.vaultFile))
    var openers = environment.openers(of: keychain)
    openers.identity = selection.identity
    openers.mayRunPrograms = selection.mayRunPrograms
    openers.run = { CommandSlotProgram.passphrase(of: $0, opening: own.vaultFile) }
    let file = try environment.encryptedFile(
      at: own, passphrase: passphrases.source, respondent: { passphrases.respondent },
      cache: try selection.unlockCache(at: own), openers: openers,
      mustExist: !keychain.isBuiltIn && selection.sharesChanges,
      onNotice: { [selection] notice in
        if case .mistypedRecoveryCode(let groups) = notice { passphrases.noteMistypedCode(groups) }
        selection.tell(notice, of: own)
      })
    file.onlyReads = selection.changesNothing
    if selection.sharesChanges { keychain.checkName(atChangesOf: file, in: location.stateFolder) }
    if keychain.kind.hasRepository, selection.sharesChanges, !selection.changesNothing {
      try BackgroundSync.refuseUnusable(keychain, file)
      file.sharing = BackgroundSync.Sharing(keychain: keychain, location: own)
      BackgroundSync.sendWhatIsLeft(keychain, at: own)
    }
    return file
  }

  package func openSecretService() throws(KeychainError) -> any DesktopKeychain {
    let settings = try selection.secretServiceSettings(
      at: location, isInUse: choice == nil || choice?.kind == .secretService)
    guard let provider = Program.secretService else {
      throw .unavailable(reason: "this program has no Secret Service")
    }
    return try provider.open(settings)
  }

  package var mustBeForwarded: Bool {
    selection.mayBeForwarded && KeychainEnvironment().namesForwarded
  }

  package func openForwarded() throws(KeychainError) -> ForwardedKeychain {
    guard selection.mayBeForwarded else { throw .unavailable(reason: KeychainSelection.isNotPassedOn) }
    let keychain = try KeychainEnvironment().forwardedKeychain(for: selection.tool)
    keychain.onPart = {
      StandardStreams.say(
        "a part of the forwarded keychain can't be used on the other machine, and was passed over")
    }
    return keychain
  }
}
