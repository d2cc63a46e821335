import Age
public import Keychain
import PrivateFiles

/// The keychain in one encrypted file: a standard age file that `age -d` opens.
///
/// Reading takes no lock and sees one generation. Writing takes the lock, reads again, and replaces the file with a
/// whole new one; an acknowledged write is on the disk.
///
/// A vault's key stays in memory as long as the object lives. If the unlock cache keeps the key too, the vault is
/// locked as soon as the cache has forgotten it, whichever process locked it.
public final class EncryptedFileKeychain: KeychainStore {
  /// Gets new secrets for items that have expired; `nil` if nothing does.
  public var renewer: (any SecretRenewing)?

  /// An event that a program using the keychain may want to report.
  public enum Notice: Hashable, Sendable {
    /// A vault was made because there was none.
    case created(VaultLocation)
    /// Another process has held the lock for five seconds.
    case waiting(path: String)
    /// A sync program had put copies of the vault beside it. This many were merged into it.
    case merged(copies: Int)
    /// A file beside the vault looks like a copy of it but can't be merged.
    case unmerged(path: String, KeychainError)
    /// The last write may be missing from the file that has replaced the vault.
    case undecided(path: String)
    /// The last write of this machine was replaced and couldn't be merged. It is kept at this path for 30 days.
    case setAside(path: String)
    /// A write of this machine was broken off before it was in the vault's place. It is kept at this path for 30 days.
    case unfinished(path: String)
    /// Merging other copies has changed what opens the vault, now or as soon as something else opened it.
    case slotsMerged(SlotChanges)
    /// The items of a write that was broken off were merged, and what opens the vault stays as it is.
    case slotsLeft(path: String)
    /// The key of what was written is in a file of its own, at this path, because the identity file can't be replaced.
    case identityNotReplaced(newPath: String, KeychainError)
    /// What was written can't be noted on this machine, so that an older file in its place would not be noticed.
    case unnoted(KeychainError)
    /// What was written is in place, and may not survive a loss of power.
    case unsure(KeychainError)
    /// There is no copy of what was written, so that it would be lost if cp or scp wrote another file over it.
    case uncopied(KeychainError)
    /// Earlier states of another vault that was in this one's place before. They are in this folder now.
    case formerPutAside(path: String)
    /// What was accepted has replaced the write that was seen here last, and all copies of that. `kept` is the newest
    /// earlier state that is newer than what was accepted.
    case lost(write: Int64, kept: Generation?)
    /// The last write that was seen of another vault, which was in this one's place before, is kept nowhere. `kept` is
    /// the path of its newest state that is.
    case formerLost(write: Int64, kept: String?)
    /// The newest write that was seen here can't be read, not even its first line, and something else was put in its
    /// place. `readable` is the newest write of which that can be read.
    case newestUnreadable(seen: Int64, readable: Int64)
    /// The vault has got another key, and nothing here opens what age plugins have wrapped for these slots.
    case slotsNotTried([String])
    /// Another process has been asking for the passphrase for five seconds.
    case waitingForPassphrase
  }

  /// Where the vault is.
  public let location: VaultLocation

  var unlocking: Unlocking
  let patience: Int
  let onNotice: (Notice) -> Void
  /// Whether reading leaves everything as it is: copies beside the vault are not merged, and the generation that was
  /// seen is not remembered.
  package var onlyReads = false
  let clock: () -> Timestamp
  /// The path of the vault that the caller remembers to exist, if any.
  let remembered: () -> String?

  var snapshot: VaultSnapshot?
  /// Copies beside the vault that are still to be merged, as of the last look.
  var copies: [String] = []
  /// The names of copies that can't be merged, and why.
  var notMerged: [String: KeychainError] = [:]
  /// Whether the last write of this machine is still to be merged, as of the last look.
  var hasMissedWrite = false
  /// Whether the file in the vault's place is accepted as the newest state, whatever was seen before.
  var isAccepting = false
  /// The key that opened the vault before.
  var key: VaultKey? { didSet { if key !== oldValue { keptVault = nil } } }
  /// The vault whose key came from the cache or has been given to it.
  var keptVault: String?
  var change: VaultChange?
  /// The header MAC of the state that was read as a whole, or that this object has made of it; `nil` if others may have
  /// changed anything.
  var seenMAC: [UInt8]?
  /// Whether `snapshot` is used as it is, whatever others write meanwhile.
  var isPinned = false
  /// Whether nothing was found in it for a question.
  var hasMissed = false
  /// What is done to share the vault; `nil` for one that isn't shared.
  package var sharing: (any VaultSharing)?
  /// Throws where the name by which the vault was found has another one by now. Called with the vault's lock, before
  /// anything is changed.
  package var checkName: () throws(KeychainError) -> Void = {}
  /// The work factor of new passphrases, as scrypt's log2 N, from 1 to 20; `nil`, which is how it begins, takes about a
  /// second on this machine. Tests make passphrases cheap with it, for nobody guesses theirs.
  package var newPassphraseWork: Int? {
    get { unlocking.newPassphraseWork }
    set { unlocking.newPassphraseWork = newValue }
  }
  /// Whose membership each use depends on; `nil` if nobody's.
  var membership: Membership?
  /// The rights to renew items that this program has, and those of others that it has seen.
  var ownLeases: [String: String] = [:]
  var seenLeases: [String: SeenLease] = [:]
  /// Why something isn't done that has to be done in step with others.
  static let outOfStep = "it can't be brought in step with what others have changed"

  /// Does that, where the vault is shared.
  @discardableResult
  public func bringInStep() throws(KeychainError) -> Bool {
    guard let sharing else { return false }
    if !sharing.bringInStep() {
      throw .unavailable(reason: Self.outOfStep)
    }
    return true
  }

  /// Makes a keychain at a location. If there is no vault yet, adding the first item makes one that the plain
  /// identity file opens.
  ///
  /// - Parameters:
  ///   - location: the place.
  ///   - passphrase: asks for the passphrase of a vault that has one.
  ///   - respondent: who would answer now. One process asks at a time, and the cache keeps what it opened.
  ///   - cache: keeps a vault with a passphrase unlocked. Without a cache, the passphrase is asked for at each use.
  ///   - openers: what may open the vault before anybody is asked.
  ///   - maximumWorkFactor: the highest work factor accepted for a passphrase, as scrypt's log2 N, at most 22.
  ///   - patience: how many seconds a writer waits for others.
  ///   - onNotice: called with each notice.
  ///   - clock: the source of dates.
  ///   - remembered: the path of the vault in which the caller remembers that something was stored; `nil` if it
  ///     remembers none. Called when there is no vault; a remembered one is then reported as missing.
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
      respondent: respondent, onWaiting: { onNotice(.waitingForPassphrase) }, openers: openers)
    self.patience = patience
    self.onNotice = onNotice
    self.clock = clock
  }
}
