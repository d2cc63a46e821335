import Bytes
import Keychain
import ToolCommands

struct ProviderSettings {
  /// Whether a keychain can be used without asking anybody.
  enum LockState: Sendable {
    case unlocked
    case locked
    case unusable(KeychainError)
  }

  var busAddress: String
  /// Whether to take the name from a program that allows that.
  var replaces: Bool
  /// Opens the keychain, once for each thread that uses it. Must ask nobody.
  var open: @Sendable () throws(KeychainError) -> any KeychainStore
  var readAll: @Sendable (any KeychainStore) throws(KeychainError) -> [Item]
  /// Prepares a keychain for many questions within one reading; `nil` if that isn't needed.
  var readAhead: (@Sendable (any KeychainStore) throws(KeychainError) -> Void)?
  /// Whether a keychain is unchanged since the last reading, except for its own changes.
  var isAsSeen: @Sendable (any KeychainStore) -> Bool
  /// A value that identifies the keychain's present state, if it is available at once.
  var presentState: () -> [UInt8]? = { nil }
  /// Whether the keychain is locked. Must not wait.
  var lockState: () -> LockState
  /// Locks the keychain. Returns false if its key is in a file, so that it can't be locked.
  var lock: () -> Bool
  /// Whether the keychain opens without asking anybody, so that it can't be locked.
  var opensUnasked: () -> Bool = { true }
  /// The program that asks a person for the passphrase and unlocks the keychain, with its arguments; `nil` if nobody is
  /// to be asked.
  var unlockProgram: [String]?
  /// The same for an unlocked keychain: it succeeds only if the passphrase was given.
  var unlockAgainProgram: [String]?
  /// The same with the passphrase on its standard input.
  var unlockWithPassphraseProgram: [String]
  /// How many seconds without a call until the keychain is locked; `nil` for its own limits.
  var idle: Int?
  /// How many milliseconds old the shown items may be, if the keychain doesn't report changes; `nil` if it does.
  var freshness: Int?
  /// How many secrets may be read at a time; several if a person may have to be asked for one.
  var readers = 1
  /// A query to make when a search for these attributes finds nothing in the list of all items, because a person may
  /// allow it; `nil` if the list is complete.
  var question: (LookupAttributes) -> ItemQuery? = { _ in nil }
  /// Makes a keychain stop asking when the answer is no longer wanted.
  var whileWanted: @Sendable (any KeychainStore, _ isWanted: @escaping @Sendable () -> Bool) -> Void =
    { _, _ in }
  /// A further name for the service, by which llavero knows which keychain it serves.
  var furtherName: String?
  var onServing: () -> Void
  /// How people are asked about programs; `nil` if every program may use everything.
  var asking: ProgramAsking?
  /// Receives each access; `nil` for no log.
  var log: ((ServedAccess) -> Void)?
}
