import Age
import Bytes
public import Keychain
import PrivateFiles
import UnlockCache

/// Asks somebody for a passphrase: `attempt` counts from 1. `nil` if nobody can be asked, or no more.
public typealias PassphraseSource = (_ attempt: Int) throws(KeychainError) -> Secret?

/// Who gives a passphrase.
public enum PassphraseRespondent: Hashable, Sendable {
  /// Nobody, or whoever gave it for this one use: what it opens isn't kept unlocked.
  case nobody
  /// A program or a file, without anybody being asked.
  case program
  /// A person.
  case person
}

/// A vault's key, and the file key of one header that it has opened.
struct UnlockedHeader: ~Copyable {
  let key: VaultKey
  let fileKey: FileKey
}

/// How a vault's identity is had.
struct Unlocking {
  let location: VaultLocation
  var passphrase: PassphraseSource
  /// The most work that a passphrase slot may ask for, as scrypt's log2 N.
  let maximumWorkFactor: Int
  /// What keeps the vault unlocked; `nil` where nothing does.
  var cache: UnlockCache?
  /// Who would give the passphrase now.
  let respondent: () -> PassphraseRespondent
  /// Called once, after five seconds of waiting for another process that asks.
  let onWaiting: () -> Void
  /// What opens slots without asking anybody.
  var openers = SlotOpeners()
  /// Whether the identity itself has to be had, and not only somebody who unwraps file keys: to add a way in.
  var needsIdentity = false
  /// Tells whether a key is the vault's, where its header can't.
  var recognizes: ((VaultKey) throws(KeychainError) -> Bool)?
  /// The folder of the identity file, where it is open already.
  var state: StateFolder?

  /// Why a vault is opened.
  enum Purpose {
    /// To use it now.
    case use
    /// To keep it unlocked.
    case keeping
    /// To keep it unlocked, with the passphrase asked for in any case.
    case keepingAnew
  }

  /// What opened a vault.
  enum Way {
    case identityFile
    case keptKey
    /// A slot, without anybody being asked.
    case slot
    case passphrase
  }

  /// Opens a vault's header, and tells what did it.
  ///
  /// With the plain identity file, if there is one and it is the vault's; else, where the vault has slots, with the
  /// key that the cache keeps, with a slot that opens without asking anybody, or with a passphrase or a recovery code.
  ///
  /// - Throws: ``KeychainError/wrongIdentity(path:)``, ``KeychainError/missing(path:)``,
  ///   ``KeychainError/locked(path:)``, ``KeychainError/noSlotOpens(path:)``,
  ///   ``KeychainError/wrongPassphrase(path:)``, ``KeychainError/mistypedRecoveryCode(groups:)``; what is wrong with a
  ///   file; what keeping throws, where that is the purpose.
  func unlock(
    _ header: Header, _ stanzas: VaultStanzas, for purpose: Purpose, by way: inout Way
  ) throws(KeychainError) -> UnlockedHeader {
    way = .identityFile
    if let unlocked = try openWithIdentityFile(header, stanzas) { return unlocked }
    way = .keptKey
    if purpose != .keepingAnew, let unlocked = try openWithKeptKey(header, stanzas) { return unlocked }
    var fault: KeychainError?
    if purpose != .keepingAnew || !stanzas.canBeAskedFor, stanzas.mayOpenWithoutAsking {
      let turn = try turn(.program)
      defer { withExtendedLifetime(turn) {} }
      if turn.isHeld, let unlocked = try openWithKeptKey(header, stanzas) { return unlocked }
      way = .slot
      if let unlocked = try openWithoutAsking(header, stanzas, &fault) {
        try keep(unlocked.key, of: stanzas, for: purpose)
        return unlocked
      }
    }
    if !stanzas.canBeAskedFor { throw fault ?? .noSlotOpens(path: location.vaultFile) }
    let respondent = cache == nil ? .nobody : respondent()
    way = .keptKey
    let turn = try turn(respondent)
    // Whoever comes next finds the key that is kept here.
    defer { withExtendedLifetime(turn) {} }
    if turn.isHeld, purpose != .keepingAnew, let unlocked = try openWithKeptKey(header, stanzas) {
      return unlocked
    }
    way = .passphrase
    let unlocked = try openByAsking(header, stanzas, fault, turn)
    // What was given on a descriptor for one use isn't kept.
    if purpose != .use || respondent != .nobody { try keep(unlocked.key, of: stanzas, for: purpose) }
    return unlocked
  }

  /// The turn to open the vault, so that of many processes one has the work, or asks, and the others find the key
  /// kept. A turn that isn't held where nothing is kept, or nobody is to be asked.
  private func turn(_ respondent: PassphraseRespondent) throws(KeychainError) -> AskingTurn {
    guard let cache, respondent != .nobody else { return AskingTurn() }
    // A person is asked once at a time in any case.
    if cache.mode == .none, respondent == .program { return AskingTurn() }
    return try AskingTurn(for: respondent, in: location.stateFolder, onWaiting: onWaiting)
  }

  /// Keeps what opened the vault. Where that isn't the purpose, and can't be, it is opened anew each time.
  private func keep(_ key: VaultKey, of stanzas: VaultStanzas, for purpose: Purpose) throws(KeychainError) {
    if purpose == .use { try? keep(key, of: stanzas) } else { try keep(key, of: stanzas) }
  }

  /// Opens a vault's header with the plain identity file; `nil` if that isn't the vault's and there are slots.
  ///
  /// - Throws: ``KeychainError/wrongIdentity(path:)`` and ``KeychainError/missing(path:)`` if there are none.
  private func openWithIdentityFile(
    _ header: Header, _ stanzas: VaultStanzas
  ) throws(KeychainError) -> UnlockedHeader? {
    var hasOtherIdentity = false
    let unlocked = try (state ?? StateFolder(location)).lending {
      (folder) throws(KeychainError) -> UnlockedHeader? in
      // The last look is for a vault whose maker renames the identity between the first two.
      for look in 1...3 {
        let name = look == 2 ? VaultLocation.newIdentityName : VaultLocation.identityName
        // A wrong comment in the file costs time and nothing else.
        for attempt in 1...2 {
          guard let identities = try identities(in: folder, name, believingComments: attempt == 1) else {
            continue
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

  /// Opens a vault's header with the key that the cache keeps; `nil` if it keeps none, or a former one, which is
  /// forgotten then.
  private func openWithKeptKey(
    _ header: Header, _ stanzas: VaultStanzas
  ) throws(KeychainError) -> UnlockedHeader? {
    if needsIdentity { return nil }
    guard let cache, let kept = cache.key(of: stanzas.uuid) else { return nil }
    let key = VaultKey(
      identity: kept.identity, recipient: kept.recipient, authenticationKey: kept.authenticationKey.copy())
    if let unlocked = try open(header, with: key) { return unlocked }
    cache.forget(stanzas.uuid)
    return nil
  }

  /// Keeps what opened the vault.
  ///
  /// - Throws: what ``UnlockCache/keep(_:_:of:)`` does.
  private func keep(_ key: VaultKey, of stanzas: VaultStanzas) throws(KeychainError) {
    guard let cache, let identity = key.identity as? X25519Identity else { return }
    try cache.keep(identity, key.authenticationKey, of: stanzas.uuid)
  }

  /// Opens a vault's header with what somebody types.
  ///
  /// - Parameters:
  ///   - turn: the right to ask, where a person is asked.
  ///   - earlier: what went wrong before.
  /// - Throws: ``KeychainError/promptDismissed`` also where the person declined while this process waited for its turn.
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

  /// The identities of a file; `nil` if there is none.
  ///
  /// - Parameter believingComments: whether a public key that a comment names is taken for an identity's, which then
  ///   opens nothing if it isn't.
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

  /// Opens a header with an identity; `nil` if it isn't the one.
  func open(
    _ header: Header, _ stanzas: VaultStanzas, with identity: X25519Identity
  ) throws(KeychainError) -> UnlockedHeader? {
    try open(header, with: VaultKey(identity, uuid: stanzas.uuid))
  }

  /// Opens a header with a vault's key; `nil` if it isn't that vault's.
  func open(_ header: Header, with key: VaultKey) throws(KeychainError) -> UnlockedHeader? {
    if let recognizes {
      // The header is only there for its name; nothing is read with its file key.
      return try recognizes(key) ? UnlockedHeader(key: key, fileKey: FileKey()) : nil
    }
    do throws(AgeError) {
      guard let fileKey = try key.fileKey(of: header) else { return nil }
      return UnlockedHeader(key: key, fileKey: fileKey)
    } catch {
      throw KeychainError(error, path: location.vaultFile)
    }
  }
}

extension VaultStanzas {
  /// Whether there is anything that a person could type.
  fileprivate var canBeAskedFor: Bool {
    slots.contains { $0.kind == .passphrase || $0.kind == .recovery }
  }

  /// Whether there is a slot that something on this machine may open.
  fileprivate var mayOpenWithoutAsking: Bool {
    slots.contains { $0.kind == .recipient || $0.kind == .command }
  }
}
