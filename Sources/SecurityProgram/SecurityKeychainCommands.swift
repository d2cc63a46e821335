import EncryptedFile
import Forwarding
import Keychain
import KeychainChoice
import Passphrases
import Terminals
import SecurityCodes
import ToolCommands
import UnlockCache

/// The commands for whole keychains.
enum SecurityKeychainCommands {
  // MARK: Listing and choosing

  /// `list-keychains` and `login-keychain`: the keychain in use, and the others of the search list.
  static func list(_ words: [SecurityWord], _ session: SecuritySession) throws(SecurityFailure) {
    let options = try SecurityOptions(words, "d:s")
    if options.has("s") {
      throw .unimplemented(
        "-s has no meaning here: 'llavero keychain' changes the search list, 'default-keychain -s' chooses a keychain"
      )
    }
    try show(options, session) { (keychain) throws(SecurityFailure) in
      let others = keychain.list.map { $0.names.filter { $0 != keychain.choice.name } } ?? []
      return [keychain.securityName] + others.map { ByteString($0) }
    }
  }

  /// `default-keychain`: prints the keychain in use, or chooses one permanently, as `llavero keychain use` does.
  static func showDefault(_ words: [SecurityWord], _ session: SecuritySession) throws(SecurityFailure) {
    let options = try SecurityOptions(words, "d:s")
    if !options.has("s") { return try show(options, session) { [$0.securityName] } }
    guard let word = try options.keychain() else {
      throw .unimplemented("-s needs a keychain: there is always one that is used")
    }
    let keychain: ListedKeychain
    switch try session.operand(word) {
    case .named(let named): keychain = named
    // It is already the default.
    case .inUse: return
    }
    try securing("SecKeychainSetDefault") { () throws(Failure) in
      try KeychainSelection().use(keychain)
    }
  }

  private static func show(
    _ options: SecurityOptions, _ session: SecuritySession,
    _ names: (OpenKeychain) throws(SecurityFailure) -> [ByteString]
  ) throws(SecurityFailure) {
    if !options.operands.isEmpty { throw .usage("keychains are named only after -s") }
    if let domain = options.value("d"), !["user", "system", "common", "dynamic"].contains(domain) {
      throw .usage("there are the domains user, system, common and dynamic")
    }
    // The other domains have no default.
    if let domain = options.value("d"), domain != "user" { return }
    let keychain = try session.look(nil)
    var line = Secret(capacity: 256)
    for name in try names(keychain) {
      line.append("    ")
      SecurityItemText.append(name, to: &line)
      line.append("\n")
    }
    let text = line.copy()
    try writing { () throws(Failure) in try StandardStreams.write(text) }
  }

  /// `show-keychain-info`: prints to standard error, like the original. A locked keychain is an error, and nobody is
  /// asked.
  static func showInfo(_ words: [SecurityWord], _ session: SecuritySession) throws(SecurityFailure) {
    let options = try SecurityOptions(words, "")
    let function = "SecKeychainCopySettings"
    let keychain = try session.look(try options.keychain())
    var settings = "no-timeout"
    switch keychain.store {
    case .file(let file):
      let summary = try securing(function) { () throws(KeychainError) in try file.summary() }
      guard let summary else {
        throw .status(.noSuchKeychain, of: function, because: missingFile(file))
      }
      let state = try securing(function) { () throws(KeychainError) in try file.unlockState() }
      if summary.contents == nil {
        throw SecurityFailure(.locked(path: file.location.vaultFile), of: function)
      }
      if let idle = state?.idle ?? state?.total { settings = "use-lock-interval timeout=\(idle)s" }
    case .secretService(let service):
      let facts = try securing(function) { () throws(KeychainError) in try service.facts() }
      guard let collection = facts.collection else { throw SecurityFailure(.noCollection(nil), of: function) }
      if collection.isLocked { throw SecurityFailure(.collectionLocked(collection.name), of: function) }
    case .forwarded(let forwarded):
      if let error = forwarded.probe().reason { throw SecurityFailure(error, of: function) }
    case .remote(let remote):
      if let error = remote.probe().reason { throw SecurityFailure(error, of: function) }
    }
    SecurityFailure.say("Keychain \"\(terminalText("\(keychain.securityName)"))\" \(settings)")
  }

  // MARK: Locking

  /// `unlock-keychain`
  static func unlock(_ words: [SecurityWord], _ session: SecuritySession) throws(SecurityFailure) {
    let options = try SecurityOptions(words, "up:")
    let function = "SecKeychainUnlock"
    let operand = try session.operand(try options.keychain())
    let name = try session.look(try options.keychain()).securityName
    let given = options.word("p").map { GivenPassphrase($0.bytes.copy(), giver: "-p") }
    let setting = { (selection: inout KeychainSelection) in
      selection.givenPassphrase = given
      selection.passphraseLine = "password to unlock \(terminalText("\(name)")): "
      if options.has("u") {
        selection.mayAsk = false
        selection.mayPrompt = false
      }
      if session.isInteractive { selection.readsSecrets = true }
    }
    let keychain = try session.open(operand, setting)
    switch keychain.store {
    case .file(let file):
      if VaultLocation.environmentVariable("LLAVERO_UNLOCK_CACHE") == "none" {
        throw .status(
          .notAvailable, of: function,
          because: Failure(
            "nothing may keep the keychain unlocked, for LLAVERO_UNLOCK_CACHE is none", status: .usage))
      }
      let outcome = try securing(function) { () throws(KeychainError) in try file.unlock(anew: given != nil) }
      if outcome == .noVault { throw .status(.noSuchKeychain, of: function, because: missingFile(file)) }
    case .secretService(let service):
      let selection = session.selection(operand, setting)
      let source = selection.passphraseSource(prompt: selection.passphraseLine ?? "")
      try securing(function) { () throws(KeychainError) in
        try service.unlock(isKnown: given != nil, passphrase: source)
      }
    case .forwarded, .remote: throw Self.isElsewhere
    }
  }

  /// `lock-keychain`
  static func lock(_ words: [SecurityWord], _ session: SecuritySession) throws(SecurityFailure) {
    let options = try SecurityOptions(words, "a")
    let function = "SecKeychainLock"
    let keychain = try session.look(try options.keychain())
    if options.has("a") {
      let keepers = try securing(function) { () throws(Failure) in
        try session.selection(.inUse).lockAllFiles()
      }
      if let failure = Failure(keptBy: keepers) {
        throw .status(.notAvailable, of: function, because: failure)
      }
    }
    session.forgetKeychains()
    switch keychain.store {
    case .file(let file):
      switch try securing(function, { () throws(KeychainError) in try file.lock() }) {
      case .locked: break
      case .kept(let keepers):
        throw .status(.notAvailable, of: function, because: Failure(keptBy: keepers))
      case .noVault:
        if !options.has("a") { throw .status(.noSuchKeychain, of: function, because: missingFile(file)) }
      case .notPossible:
        if options.has("a") { return }
        throw .unimplemented(
          "has no meaning here: a key on this machine opens the keychain, as 'llavero slot list' shows; "
            + "'llavero slot add passphrase' and removing its slot change this")
      }
    case .secretService(let service):
      try securing(function) { () throws(KeychainError) in try service.lock() }
    case .forwarded, .remote: throw Self.isElsewhere
    }
  }

  /// `set-keychain-password`: changes the passphrase of the encrypted file.
  static func setPassword(_ words: [SecurityWord], _ session: SecuritySession) throws(SecurityFailure) {
    let options = try SecurityOptions(words, "o:p:")
    let function = "SecKeychainChangePassword"
    let operand = try session.operand(try options.keychain())
    let given = options.word("o").map { GivenPassphrase($0.bytes.copy(), giver: "-o") }
    let keychain = try session.open(operand) { selection in
      selection.givenPassphrase = given
      selection.passphraseLine = "Old Password: "
    }
    guard case .file(let file) = keychain.store else {
      throw .unimplemented(
        "has no meaning here: the password of the desktop's keyring is changed in the desktop's settings")
    }
    let slots = try securing(function) { () throws(KeychainError) -> [String] in
      try file.exists() ? try file.passphraseSlots() : []
    }
    guard let slot = slots.first else {
      let exists = try securing(function) { () throws(KeychainError) in try file.exists() }
      throw .status(
        .badReq, of: function,
        because: Failure(
          "the keychain has no passphrase",
          hint: exists
            ? "add one with 'llavero slot add passphrase'" : "make one with 'llavero init --passphrase'",
          status: .usage))
    }
    if slots.count > 1 {
      throw .status(
        .badReq, of: function,
        because: Failure(
          "the keychain has \(slots.count) passphrases",
          hint: "change one with 'llavero passphrase --slot ID'", status: .usage))
    }
    try securing(function) { () throws(KeychainError) in try file.unlockForChangingSlots() }
    let passphrase: Secret
    if let word = options.word("p") {
      passphrase = word.bytes.copy()
    } else {
      passphrase = try SecurityPasswordInput.newPassphrase.read(mayReadInput: !session.isInteractive)
    }
    if passphrase.isEmpty { throw .usage("a passphrase can't be empty") }
    do throws(KeychainError) {
      try file.replacePassphrase(of: slot, with: passphrase)
    } catch {
      throw SecurityFailure(error, of: function)
    }
    session.forgetKeychains()
  }

  private static let isElsewhere = SecurityFailure.unimplemented(
    "has no meaning here: the keychain is on another machine, which locks and unlocks it")

  private static func missingFile(_ file: EncryptedFileKeychain) -> Failure {
    Failure(
      "there is no keychain \(file.location.vaultFile) yet",
      hint: "the first item that is stored makes it, 'llavero init --passphrase' one with a passphrase",
      status: .keychain)
  }
}
