import Age
public import Keychain
import PrivateFiles

/// The keychain in one encrypted file: a standard age file that `age -d` opens.
///
/// Reading takes no lock and sees one generation. Writing takes the lock, reads again, and replaces the file with a
/// whole new one; an acknowledged write is on the disk.
///
/// A vault's key stays in memory as long as the object lives. If the unlock cache keeps it, too, the vault is locked
/// as soon as the cache has forgotten it, whichever process locked it.
public final class EncryptedFileKeychain: KeychainStore {
  /// Gets new secrets for expired items, if set.
  public var renewer: (any SecretRenewing)?

  /// An event that a program using the keychain may want to report.
  public enum Notice: Hashable, Sendable {
    /// A vault was made because there was none.
    case created(VaultLocation)
    /// Another process has held the lock for five seconds.
    case waiting(path: String)
    /// A sync program put copies of the vault beside it, and this many were merged into it.
    case merged(copies: Int)
    /// A file beside the vault looks like a copy of it but can't be merged.
    case unmerged(path: String, KeychainError)
    /// The last write may be missing from the file that has replaced the vault.
    case undecided(path: String)
    /// The last write of this machine was replaced and couldn't be merged. It is kept at this path for 30 days.
    case setAside(path: String)
    /// A write of this machine was broken off before it was in the vault's place. It is kept at this path for 30 days.
    case unfinished(path: String)
    /// Merging other copies has changed the ways into the vault, now or as soon as another way has opened it.
    case slotsMerged(SlotChanges)
    /// The items of a write that was broken off were merged. The ways into the vault stay as they are.
    case slotsLeft(path: String)
    /// The identity file can't be replaced, so the key of the new state is in a file of its own at this path.
    case identityNotReplaced(newPath: String, KeychainError)
    /// This machine can't note the write, so an older file in its place would go unnoticed.
    case unnoted(KeychainError)
    /// The write is in place, but may not survive a loss of power.
    case unsure(KeychainError)
    /// The write has no copy, so it would be lost if cp or scp wrote another file over it.
    case uncopied(KeychainError)
    /// This folder now has the earlier states of another vault that was in this one's place before.
    case formerPutAside(path: String)
    /// Accepting the vault as it is has replaced the last write seen here, and all copies of it. `kept` is the newest
    /// earlier state that is newer than the accepted one.
    case lost(write: Int64, kept: Generation?)
    /// The last seen write of the vault formerly in this place is lost. `kept` is the path of its newest kept state.
    case formerLost(write: Int64, kept: String?)
    /// The newest write seen here can't be read, not even its first line, and something else was put in its place.
    /// `readable` is the newest write with a readable first line.
    case newestUnreadable(seen: Int64, readable: Int64)
    /// The vault has a new key, and nothing here opens what age plugins have wrapped for these slots.
    case slotsNotTried([String])
    /// Another process has been asking for the passphrase for five seconds.
    case waitingForPassphrase
    /// What was typed is a recovery code with a typing error, most likely in one of these groups, which count from 1; empty
    /// if unknown. It is asked for again, if somebody can be asked.
    case mistypedRecoveryCode(groups: [Int])
  }

  /// Where the vault is.
  public let location: VaultLocation

  var unlocking: Unlocking
  let patience: Int
  let onNotice: (Notice) -> Void
  /// Whether reading changes nothing: copies beside the vault aren't merged, and the seen generation isn't noted.
  package var onlyReads = false
  /// Whether everything in it is a copy of what is elsewhere. Then nothing of its past is kept, any state of it counts as
  /// the newest, nobody waits until a change is on the disk, and without items there is no vault.
  package var isOfCopies = false
  let clock: () -> Timestamp
  /// The path of the vault that the caller remembers, if any.
  let remembered: () -> String?

  var snapshot: VaultSnapshot?
  /// Copies beside the vault still to be merged, as of the last look.
  var copies: [String] = []
  /// The copies that can't be merged, by name, and why.
  var notMerged: [String: KeychainError] = [:]
  /// Whether this machine's last write is still to be merged, as of the last look.
  var hasMissedWrite = false
  /// Whether the file in the vault's place counts as the newest state, whatever was seen before.
  var isAccepting = false
  var key: VaultKey? { didSet { if key !== oldValue { keptVault = nil } } }
  /// The vault whose key came from the cache or went there.
  var keptVault: String?
  var change: VaultChange?
  /// The header MAC of the state that this object has read in full, or made; `nil` if others may have changed it.
  var seenMAC: [UInt8]?
  /// Whether `snapshot` is used as it is, whatever others write meanwhile.
  var isPinned = false
  /// Whether a question to it found nothing.
  var hasMissed = false
  /// Shares the vault; `nil` if it isn't shared.
  package var sharing: (any VaultSharing)?
  /// Throws if the vault's name now belongs to another one. Called with the vault's lock, before anything is changed.
  package var checkName: () throws(KeychainError) -> Void = {}
  /// The work factor of new passphrases, as scrypt's log2 N, from 1 to 20; `nil`, the default, takes about a second on
  /// this machine. Tests make passphrases cheap with it, because nobody guesses theirs.
  package var newPassphraseWork: Int? {
    get { unlocking.newPassphraseWork }
    set { unlocking.newPassphraseWork = newValue }
  }
  /// The membership that each use depends on; `nil` without one.
  var membership: Membership?
  /// This program's rights to renew items, and those of others that it has seen.
  var ownLeases: [String: String] = [:]
  var seenLeases: [String: SeenLease] = [:]
  /// Why something isn't done that needs everybody's latest changes.
  static let outOfStep = "it can't be brought in step with the changes of others"

  /// Does so if the vault is shared.
  @discardableResult
  public func bringInStep() throws(KeychainError) -> Bool {
    guard let sharing else { return false }
    if !sharing.bringInStep() {
      throw .unavailable(reason: Self.outOfStep)
    }
    return true
  }

  /// Makes a keychain at a location. If there is no vault yet, adding the first item makes one that the plain identity
  /// file opens.
  ///
  /// - Parameters:
  ///   - location: the place.
  ///   - passphrase: asks for the passphrase of a vault that has one.
  ///   - respondent: the source that would answer now. One process asks at a time, and the cache keeps the key.
  ///   - cache: keeps a vault with a passphrase unlocked. Without a cache, each use asks for the passphrase.
  ///   - openers: tried before anybody is asked.
  ///   - maximumWorkFactor: the highest work factor accepted for a passphrase, as scrypt's log2 N, at most 22.
  ///   - patience: how many seconds a writer waits for others.
  ///   - onNotice: called with each notice.
  ///   - clock: the source of dates.
  ///   - remembered: the path of the vault in which the caller remembers storing something, if any. Called when
  ///     there is no vault; a remembered one is then reported as missing.
  public init(
    at location: VaultLocation, passphrase: @escaping PassphraseSource = { _ in nil },
    respondent: @escaping () -> PassphraseRespondent = { .person }, cache: UnlockCache? = nil,
    openers: SlotOpeners = SlotOpeners(), maximumWorkFactor: Int = 20,
    patience: Int = 60, onNotice: @escaping (Notice) -> Void = { _ in },
    clock: @escaping () -> Timestamp = { .now }, remembered: @escaping () -> String? = { nil }
  ) {
    self.location = location
    self.remembered = remembered
    unlocking = Unlocking(
      location: location, passphrase: passphrase, maximumWorkFactor: maximumWorkFactor, cache: cache,
      respondent: respondent, onWaiting: { onNotice(.waitingForPassphrase) },
      onMistypedCode: { onNotice(.mistypedRecoveryCode(groups: $0)) }, openers: openers)
    self.patience = patience
    self.onNotice = onNotice
    self.clock = clock
  }
}
