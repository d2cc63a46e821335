import Bytes
package import EncryptedFile
import Glibc
package import Keychain
package import KeychainChoice
import PrivateFiles

/// What a command was told about the keychain to use, and about how to unlock it.
package struct KeychainSelection {
  package var name: String?
  package var collection: String?
  package var session: String?
  /// `--passphrase-fd`
  package var passphraseDescriptor: Int32?
  /// Whether the command reads secrets, not only which items exist.
  package var readsSecrets = false
  /// Whether everything in a Secret Service counts, not only logins.
  package var includesOtherItems = false
  /// Whether this program may ask the user, in addition to the desktop's prompt.
  package var mayAsk = true
  /// `--no-prompt`: whether the user may be asked at all.
  package var mayPrompt = true
  /// `--idle` and `--for` of `llavero unlock`, in seconds.
  package var unlockIdle: Int?
  package var unlockTotal: Int?
  /// Whether using the keychain extends the time for which it stays unlocked.
  package var renewsUnlock = true
  /// Whether what opens the keychain is to be changed, which takes the passphrase even while the keychain is unlocked.
  package var changesSlots = false
  /// Whether to run programs whose output opens the file.
  package var mayRunPrograms = true
  /// Whether to send a shared keychain's changes to others, and to fetch theirs. The program that syncs must not.
  package var sharesChanges = true
  /// Whether to leave the file unchanged, even if another program has put copies beside it.
  package var changesNothing = false
  /// `--identity`: the file whose identity opens a slot.
  package var identity: String?
  /// The tool that asks, as reported to a machine that forwards its keychain.
  package var tool: ByteString = "llavero"
  /// Whether another machine's keychain may be used. The program that offers this machine's own must not.
  package var mayBeForwarded = true
  /// Whether a tool makes the call. Tools show messages to the user, or take them for an error.
  package var isForTool = false

  package init(
    name: String? = nil, collection: String? = nil, session: String? = nil,
    passphraseDescriptor: Int32? = nil,
    mayPrompt: Bool = true
  ) {
    self.name = name
    self.collection = collection
    self.session = session
    self.passphraseDescriptor = passphraseDescriptor
    self.mayPrompt = mayPrompt
  }

  private var environment: KeychainEnvironment { KeychainEnvironment() }

  /// Takes an option common to all commands without ArgumentParser. Returns whether it is one.
  ///
  /// - Parameter value: returns the option's value; called if it has one.
  /// - Throws: ``KeychainError`` for an invalid value, and any error of `value`.
  package mutating func take(_ option: String, value: () throws(KeychainError) -> String)
    throws(KeychainError) -> Bool
  {
    switch option {
    case "--keychain": name = try value()
    case "--collection": collection = try value()
    case "--session": session = try value()
    case "--no-prompt": mayPrompt = false
    case "--passphrase-fd":
      guard let descriptor = Int32(try value()), descriptor >= 0 else {
        throw .failure("--passphrase-fd needs the number of a descriptor", status: .usage)
      }
      passphraseDescriptor = descriptor
    default: return false
    }
    return true
  }

  /// Makes the choice. If that leads to the Secret Service, or requires a check for one, `llavero` becomes
  /// `llavero-secret-service` here. So nothing may be read from standard input before this.
  ///
  /// - Throws: ``KeychainError`` for a keychain that is unknown, or can't be used here.
  package func chooseOrExec() throws(KeychainError) -> ProgramOpener {
    let location = try VaultLocation()
    let choice = try KeychainChoice.made(named: name, at: location)
    let others = choice?.isNamed == true ? KeychainList() : try others(at: location)
    try need(of: choice, others, at: location).execIfNeeded()
    let opener = ProgramOpener(self, location, choice, others)
    if let choice, !choice.kind.isOfOtherMachine { return opener }
    if choice != nil || !LookBefore.wasDone, let forwarded = try forwarded(opener) { return forwarded }
    if mayBeForwarded, Program.secretService == nil { LookBefore.leaveNote() }
    guard let why = CompanionNeed.wanted.obstacleToExec() else { return opener }
    LookBefore.removeNote()
    return ProgramOpener(
      self, location, KeychainChoice(kind: .file, reason: .noService(.unavailable(reason: why.reason))),
      others)
  }

  /// What is known to be needed before anything is asked.
  private func need(
    of choice: KeychainChoice?, _ others: KeychainList, at location: VaultLocation
  ) -> CompanionNeed {
    if choice?.kind.needsCompanion == true { return .required }
    let hasServer = choice?.kind.isOnServer == true || others.keychains.contains { $0.kind.isOnServer }
    // Without it, the other keychains of the list still answer.
    return others.needsCompanion || hasServer && KeychainChoice.personal(at: location).kind.needsCompanion
      ? .wanted : .none
  }

  /// The search list, which counts if no keychain is named.
  private func others(at location: VaultLocation) throws(KeychainError) -> KeychainList {
    var list = try KeychainList.read(in: location.stateFolder)
    if !mayBeForwarded { _ = list.remove(KeychainKind.forwarded.rawValue) }
    // A shared keychain never provides the login for its own sync.
    if BackgroundSync.isUnderWay {
      for keychain in list.keychains where keychain.kind.hasRepository { _ = list.remove(keychain.name) }
    }
    return list
  }

  /// The keychain forwarded to this machine, if it is chosen, or if there is one and nothing is chosen.
  private func forwarded(_ opener: ProgramOpener) throws(KeychainError) -> ProgramOpener? {
    guard mayBeForwarded else {
      if opener.choice == nil { return nil }
      throw .failure(Self.isNotPassedOn, status: .keychain)
    }
    if opener.choice != nil { return opener }
    return try opener.openIfForwarded().map(opener.opened)
  }

  static let isNotPassedOn = "a keychain that is forwarded to this machine is not passed on"

  /// The encrypted file that is named, or in use; else the unlisted one that exists, whether or not it is selected.
  ///
  /// - Throws: ``KeychainError`` if another kind of keychain is named, or the file isn't certain: a change must not hit the
  ///   wrong one.
  package func encryptedFile() throws(KeychainError) -> EncryptedFileKeychain {
    let location = try VaultLocation()
    let choice = try KeychainChoice.chosen(named: name, at: location)
    if let choice, choice.kind.isOnServer, name != nil {
      // A name of such a keychain never means the encrypted file.
      throw .failure(
        "the keychain \(choice.name) is on a server, and is not an encrypted file",
        hint: "'llavero undelete' brings back items that its server still has", status: .usage)
    }
    if let choice, !choice.kind.isFile, choice.isNamed {
      throw .failure(
        "\(name == nil ? "LLAVERO_KEYCHAIN" : "--keychain") names the keychain \(choice.name), which is not an encrypted file",
        hint: "name your own with --keychain file", status: .usage)
    }
    let keychain = choice.flatMap { $0.kind.isFile ? $0.keychain : nil }
    return try ProgramOpener(self, location).openFile(keychain ?? ListedKeychain(builtIn: .file))
  }

  /// Why a keychain on a server can't be used now. Nobody is asked.
  package func obstacle(
    ofServerKeychain keychain: ListedKeychain, at location: VaultLocation
  ) -> KeychainError? {
    var selection = self
    selection.name = keychain.name
    (selection.mayAsk, selection.mayPrompt) = (false, false)
    return ProgramOpener(selection, location).obstacle(of: keychain)
  }

  /// Forgets the keys of all encrypted files of this user.
  ///
  /// - Returns: the folders of agents that may still keep some of them; see ``UnlockCache/forget(_:)``.
  package func lockAllFiles() throws(KeychainError) -> [String] {
    let location = try VaultLocation()
    var failed = try unlockCache(at: location).forget(nil)
    // Without a runtime folder, the agent of each further keychain is in the folder of its own files.
    let further = location.stateFolder + "/keychains"
    guard let folder = try Folder(opening: further) else { return failed }
    for name in try folder.names() {
      let other = VaultLocation(vaultFolder: location.vaultFolder, stateFolder: "\(further)/\(name)")
      failed += try unlockCache(at: other).forget(nil).filter { !failed.contains($0) }
    }
    return failed
  }

  func unlockCache(at location: VaultLocation) throws(KeychainError) -> UnlockCache {
    var cache = try environment.unlockCache(
      at: location, idle: unlockIdle, total: unlockTotal, program: Program.agent)
    cache.renews = renewsUnlock
    return cache
  }

  /// - Parameter isInUse: whether the Secret Service is the keychain in use, which `--passphrase-fd` is for.
  package func secretServiceSettings(
    at location: VaultLocation, isInUse: Bool = false
  ) throws(KeychainError) -> DesktopKeychainSettings {
    var settings = try environment.secretService(
      at: location, collection: collection, session: session, mayPrompt: mayPrompt)
    settings.readsSecrets = readsSecrets
    settings.includesOtherItems = includesOtherItems
    settings.onNotice = Self.tell
    if passphraseDescriptor != nil {
      // One reader for all collections, for the descriptor gives its password once.
      let given = passphraseSources(for: .keyring(prompt: "")).source
      if isInUse { settings.password = { _ in given } }
    } else if mayAskPerson, !Program.hasDisplay {
      // Over ssh, a prompt of the desktop would wait where nobody sees it.
      settings.password = keyringPassword
    }
    return settings
  }

  /// Whether this program may ask the user on the terminal.
  package var mayAskPerson: Bool { mayAsk && mayBeAsked }

  /// Whether anybody may be asked, by this program or by the desktop.
  package var mayBeAsked: Bool { mayPrompt && !environment.forbidsPrompts }

  /// Asks the user on the terminal to confirm something.
  ///
  /// - Parameters:
  ///   - question: a question that ends with a question mark; `[y/N]` is appended.
  ///   - text: whole lines to show before it.
  /// - Returns: `nil` if nobody can be asked. The caller then says which option to pass instead.
  package func confirms(_ question: TextForTerminal, showing text: TextForTerminal = "") -> Bool? {
    guard let terminal = Terminal.ofPerson(mayAsk: mayAskPerson) else { return nil }
    terminal.show(text)
    return terminal.confirms(question)
  }

  package func passphraseSources(for subject: PassphraseSources.Subject) -> PassphraseSources {
    // A program that runs this to get a passphrase already has the user's attention, and should ask itself.
    let isNested = CString(variable: ChildProcess.markerVariable) != nil
    return PassphraseSources(
      for: subject, descriptor: passphraseDescriptor, mayAsk: mayAskPerson && !isNested,
      purpose: changesSlots ? "to change what opens it" : nil)
  }

  /// Asks for the password of a collection of the desktop's keyring.
  package func keyringPassword(of collection: String) -> PassphraseSource {
    let name = collection == "login" ? "" : " '\(terminalText(collection))'"
    return passphraseSources(for: .keyring(prompt: "Password of the keyring\(name): ")).source
  }
}

/// Tells `llavero-secret-service`, which `llavero` becomes, that no keychain is forwarded to this machine. So an agent
/// that doesn't answer is waited for only once.
private enum LookBefore {
  private static let variable = "LLAVERO_LOOKED"

  /// Whether this process has looked before it became this program. The process number keeps others from claiming
  /// that.
  static let wasDone: Bool = {
    guard let note = getenv(variable) else { return false }
    defer { removeNote() }
    return String(cString: note) == "\(getpid())"
  }()

  static func leaveNote() { setenv(variable, "\(getpid())", 1) }

  static func removeNote() { unsetenv(variable) }
}
