import Age
import Bytes
public import Keychain
import PrivateFiles

/// Asks for a passphrase. `attempt` counts from 1. Returns `nil` if nobody can be asked, or no longer.
public typealias PassphraseSource = (_ attempt: Int) throws(KeychainError) -> Secret?

/// The source of a passphrase.
public enum PassphraseRespondent: Hashable, Sendable {
  /// Nobody, or somebody who gave it for one use only: the vault isn't kept unlocked.
  case nobody
  /// A program or a file, without asking anybody.
  case program
  /// A person.
  case person
}

/// A vault's key, and the file key of one header opened with it.
struct UnlockedHeader: ~Copyable {
  let key: VaultKey
  let fileKey: FileKey
}

/// Gets a vault's identity.
struct Unlocking {
  let location: VaultLocation
  /// The folder of this machine's identity file, if not the location's: for merging files of this machine elsewhere.
  var identityFolder: String?
  var passphrase: PassphraseSource
  /// The highest work factor accepted from a passphrase slot, as scrypt's log2 N.
  let maximumWorkFactor: Int
  /// The work factor of new passphrases; `nil` takes about a second on this machine.
  var newPassphraseWork: Int?
  /// Keeps the vault unlocked; `nil` if nothing does.
  var cache: UnlockCache?
  /// The source that would give the passphrase now.
  let respondent: () -> PassphraseRespondent
  /// Called once, after waiting five seconds for another process that asks.
  let onWaiting: () -> Void
  /// Called with the groups that probably have the error, before a mistyped recovery code is asked for again.
  let onMistypedCode: (_ groups: [Int]) -> Void
  /// Open slots without asking anybody.
  var openers = SlotOpeners()
  /// Whether the identity itself is needed, to add a way in, not just a way to unwrap file keys.
  var needsIdentity = false
  /// Whether a key is the vault's, for a header that can't tell.
  var recognizes: ((VaultKey) throws(KeychainError) -> Bool)?
  /// The identity file's folder, if already open.
  var state: StateFolder?

  /// The purpose of opening a vault.
  enum Purpose {
    case use
    case keeping
    /// To keep it unlocked, asking for the passphrase in any case.
    case keepingAnew
  }

  /// The way that opened a vault.
  enum Way {
    case identityFile
    case keptKey
    /// A slot, without asking anybody.
    case slot
    case passphrase
  }

  /// Opens a vault's header, and tells how.
  ///
  /// The plain identity file is used if it exists and is the vault's. Otherwise, if the vault has slots, the cache's
  /// key is tried, then the slots that open without asking anybody, then a passphrase or a recovery code.
  ///
  /// - Throws: ``KeychainError/wrongIdentity(path:)``, ``KeychainError/missing(path:)``,
  ///   ``KeychainError/locked(path:)``, ``KeychainError/noSlotOpens(path:)``,
  ///   ``KeychainError/wrongPassphrase(path:)``, ``KeychainError/mistypedRecoveryCode(groups:)``; other errors for a
  ///   faulty file; what keeping the key throws, if that is the purpose.
  func unlock(
    _ header: Header, _ stanzas: VaultStanzas, for purpose: Purpose, by way: inout Way
  ) throws(KeychainError) -> UnlockedHeader {
    way = .identityFile
    if let unlocked = try openWithIdentityFile(header, stanzas) { return unlocked }
    way = .keptKey
    if purpose != .keepingAnew, let unlocked = try openWithKeptKey(header, stanzas) { return unlocked }
    var fault: KeychainError?
    let isTyped = stanzas.slots.contains { $0.kind.isTyped }
    if purpose != .keepingAnew || !isTyped, stanzas.slots.contains(where: { $0.kind.mayOpenUnasked }) {
      let turn = try turn(.program)
      defer { withExtendedLifetime(turn) {} }
      if turn.isHeld, let unlocked = try openWithKeptKey(header, stanzas) { return unlocked }
      way = .slot
      if let unlocked = try openWithoutAsking(header, stanzas, &fault) {
        try keep(unlocked.key, of: stanzas, for: purpose)
        return unlocked
      }
    }
    if !isTyped { throw fault ?? .noSlotOpens(path: location.vaultFile) }
    let respondent = cache == nil ? .nobody : respondent()
    way = .keptKey
    let turn = try turn(respondent)
    // The next process finds the key kept here.
    defer { withExtendedLifetime(turn) {} }
    if turn.isHeld, purpose != .keepingAnew, let unlocked = try openWithKeptKey(header, stanzas) {
      return unlocked
    }
    way = .passphrase
    let unlocked = try openByAsking(header, stanzas, fault, turn)
    // A passphrase given on a descriptor for one use isn't kept.
    if purpose != .use || respondent != .nobody { try keep(unlocked.key, of: stanzas, for: purpose) }
    return unlocked
  }

  /// The turn to open the vault: of many processes one does the work or asks, and the others find the key kept. It is
  /// not held if nothing keeps the key or nobody is to be asked.
  private func turn(_ respondent: PassphraseRespondent) throws(KeychainError) -> AskingTurn {
    guard let cache, respondent != .nobody else { return AskingTurn() }
    // In any case, only one process at a time asks a person.
    if cache.mode == .none, respondent == .program { return AskingTurn() }
    return try AskingTurn(for: respondent, in: location.stateFolder, onWaiting: onWaiting)
  }

  /// Keeps the key that opened the vault. Unless that is the purpose, failures are ignored: the vault is opened anew.
  private func keep(_ key: VaultKey, of stanzas: VaultStanzas, for purpose: Purpose) throws(KeychainError) {
    if purpose == .use { try? keep(key, of: stanzas) } else { try keep(key, of: stanzas) }
  }

  /// Opens a vault's header with the plain identity file; `nil` if that isn't the vault's and there are slots.
  ///
  /// - Throws: ``KeychainError/wrongIdentity(path:)`` and ``KeychainError/missing(path:)`` if there are no slots.
  private func openWithIdentityFile(
    _ header: Header, _ stanzas: VaultStanzas
  ) throws(KeychainError) -> UnlockedHeader? {
    var hasOtherIdentity = false
    let unlocked = try (state ?? StateFolder(location)).lending {
      (folder) throws(KeychainError) -> UnlockedHeader? in
      // The third look is for a vault whose identity was renamed between the first two.
      for look in 1...3 {
        let name = look == 2 ? VaultLocation.newIdentityName : VaultLocation.identityName
        // A wrong comment in the file costs only time.
        for attempt in 1...2 {
          guard let identities = try identities(in: folder, name, believingComments: attempt == 1) else {
            break
          }
          for identity in identities {
            if let unlocked = try open(header, stanzas, with: identity) { return unlocked }
          }
          if name == VaultLocation.identityName { hasOtherIdentity = true }
        }
      }
      return nil
    }
    if let unlocked { return unlocked }
    if !stanzas.slots.contains(where: \.isKnown) {
      let path = location.identityFile
      throw hasOtherIdentity ? .wrongIdentity(path: path) : .missing(path: path)
    }
    return nil
  }

  /// Opens a header with the cache's key, if any. A key that doesn't open the present vault is removed from the cache.
  private func openWithKeptKey(
    _ header: Header, _ stanzas: VaultStanzas
  ) throws(KeychainError) -> UnlockedHeader? {
    if needsIdentity { return nil }
    guard let cache, var kept = cache.key(of: stanzas.uuid, toOpen: header.stanzas) else { return nil }
    let key = VaultKey(
      identity: kept.identity, recipient: kept.recipient, authenticationKey: kept.authenticationKey.copy())
    do throws(KeychainError) {
      if let unlocked = try open(header, with: key, kept.fileKey.take()) { return unlocked }
    } catch .locked {
      // It was locked just now, or got another key.
      return nil
    }
    // The header may also be an earlier state's, with a former key.
    if location.presentMAC == header.mac { cache.forget(stanzas.uuid) }
    return nil
  }

  /// - Throws: what ``UnlockCache/keep(_:_:of:)`` does.
  private func keep(_ key: VaultKey, of stanzas: VaultStanzas) throws(KeychainError) {
    guard let cache, let identity = key.identity as? X25519Identity else { return }
    try cache.keep(identity, key.authenticationKey, of: stanzas.uuid)
  }

  /// Opens a vault's header with what somebody types.
  ///
  /// - Parameters:
  ///   - turn: the right to ask, if a person is asked.
  ///   - earlier: an earlier failure.
  /// - Throws: ``KeychainError/promptDismissed`` also if the person declined while this process waited for its turn.
  private func openByAsking(
    _ header: Header, _ stanzas: VaultStanzas, _ earlier: KeychainError?, _ turn: borrowing AskingTurn
  ) throws(KeychainError) -> UnlockedHeader {
    if turn.wasDeclined { throw .promptDismissed }
    do throws(KeychainError) {
      return try openByAsking(header, stanzas, earlier)
    } catch {
      switch error {
      case .promptDismissed, .wrongPassphrase, .mistypedRecoveryCode: turn.decline()
      default: break
      }
      throw error
    }
  }

  /// The identities in a file; `nil` if there is no such file.
  ///
  /// - Parameter believingComments: whether to take a public key in a comment as the identity's. With a wrong one,
  ///   the identity opens nothing.
  func identities(
    in folder: borrowing Folder, _ name: String, believingComments: Bool = false
  ) throws(KeychainError) -> [X25519Identity]? {
    guard let file = try folder.file(name) else { return nil }
    let text = try file.contents(limit: VaultBounds.identityFile)
    do throws(AgeError) {
      return try text.withUnsafeBytes { (bytes) throws(AgeError) in
        try believingComments ? IdentityFile.parseBelievingComments(bytes) : IdentityFile.parse(bytes)
      }
    } catch {
      throw KeychainError(error, path: file.path)
    }
  }

  /// Opens a header with an identity; `nil` if it is another vault's.
  func open(
    _ header: Header, _ stanzas: VaultStanzas, with identity: X25519Identity
  ) throws(KeychainError) -> UnlockedHeader? {
    try open(header, with: VaultKey(identity, uuid: stanzas.uuid))
  }

  /// The same with a vault's key.
  ///
  /// - Parameter known: the header's file key, if the vault's key has already unwrapped it.
  func open(
    _ header: Header, with key: VaultKey, _ known: consuming FileKey? = nil
  ) throws(KeychainError) -> UnlockedHeader? {
    if let recognizes {
      // The header only names the vault; nothing is read with its file key.
      return try recognizes(key) ? UnlockedHeader(key: key, fileKey: FileKey()) : nil
    }
    do throws(AgeError) {
      guard let fileKey = try key.fileKey(of: header, known) else { return nil }
      return UnlockedHeader(key: key, fileKey: fileKey)
    } catch {
      throw KeychainError(error, path: location.vaultFile)
    }
  }
}
