import Age
public import Keychain
import PrivateFiles
public import UnlockCache

/// The keychain in one encrypted file: a standard age file that `age -d` opens.
///
/// Reading takes no lock and sees one generation. Writing locks, reads again, and puts a whole new file in the place
/// of the old one; what is acknowledged is on the disk.
///
/// A vault's key stays in memory as long as the object lives, unless the unlock cache keeps it, too: then the vault is
/// locked as soon as the cache has forgotten the key, whichever process locked it.
public final class EncryptedFileKeychain: KeychainStore {
  /// Something that a program that uses the keychain may want to report.
  public enum Notice: Hashable, Sendable {
    /// A vault was made because there was none.
    case created(VaultLocation)
    /// Another process has held the lock for five seconds.
    case waiting(path: String)
    /// A sync program had put copies of the vault beside it. So many were merged into it.
    case merged(copies: Int)
    /// A file beside the vault looks like a copy of it, and can't be merged.
    case unmerged(path: String, KeychainError)
    /// What was written last may not be in what has come into its place.
    case undecided(path: String)
    /// What this machine wrote last was replaced, and couldn't be taken in. It is kept there for 30 days.
    case setAside(path: String)
    /// Earlier states of another vault, which was in this one's place before, are in that folder now.
    case formerPutAside(path: String)
    /// Another process has asked for the passphrase for five seconds.
    case waitingForPassphrase
  }

  /// Where the vault is.
  public let location: VaultLocation

  var unlocking: Unlocking
  let patience: Int
  let onNotice: (Notice) -> Void
  /// Whether reading leaves everything as it is: copies beside the vault are not merged, and which generation was seen
  /// is not remembered.
  package var onlyReads = false
  let clock: () -> Timestamp
  /// Where it is remembered elsewhere that there is a vault.
  let remembered: () -> String?

  var snapshot: VaultSnapshot?
  /// Copies beside the vault that are still to be merged, as of the last look.
  var copies: [String] = []
  /// Those that can't be merged.
  var passedOver: Set<String> = []
  /// Whether what this machine wrote last is still to be merged, as of the last look.
  var hasMissedWrite = false
  /// Whether what is in the vault's place is taken for the newest state, whatever was seen.
  var isAccepting = false
  /// What opened the vault before.
  var key: VaultKey? { didSet { if key !== oldValue { keptVault = nil } } }
  /// The vault whose key is there because the cache keeps it, or because it has been given to the cache.
  var keptVault: String?
  var change: VaultChange?
  /// Whether `snapshot` is what there is, whatever others write meanwhile.
  var isPinned = false

  /// A keychain at a place where there is a vault, or none yet: then the first item that is added makes one that
  /// the plain identity file opens.
  ///
  /// - Parameters:
  ///   - location: the place.
  ///   - passphrase: asks for the passphrase of a vault that has one.
  ///   - respondent: who would give it now. One process asks at a time, and the cache keeps what it opened.
  ///   - cache: what keeps a vault with a passphrase unlocked. Without one that is asked for at each use.
  ///   - openers: what may open it before anybody is asked.
  ///   - maximumWorkFactor: the most work that a passphrase may be, as scrypt's log2 N, at most 22.
  ///   - patience: how many seconds a writer waits for others.
  ///   - onNotice: hears of what happens.
  ///   - clock: what dates are read from.
  ///   - remembered: the path of the vault of which the caller remembers that something was stored in it; `nil` where it
  ///     remembers none. Asked where there is no vault: then that one is missing.
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
