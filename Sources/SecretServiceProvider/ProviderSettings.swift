import Bytes
package import Keychain

package struct ProviderSettings {
  /// Whether a keychain can be used without asking anybody.
  package enum LockState: Sendable {
    case unlocked
    case locked
    case unusable(KeychainError)
  }

  package var busAddress: String
  /// Whether to take the name from a program that allows that.
  package var replaces: Bool
  /// Opens the keychain, once for each thread that uses it. Must ask nobody.
  package var open: @Sendable () throws(KeychainError) -> any KeychainStore
  package var readAll: @Sendable (any KeychainStore) throws(KeychainError) -> [Item]
  /// Whether a keychain is unchanged since the last reading, except for its own changes.
  package var isAsSeen: @Sendable (any KeychainStore) -> Bool
  /// A value that identifies the keychain's present state, if it is available at once.
  package var presentState: () -> [UInt8]? = { nil }
  /// Whether the keychain is locked. Must not wait.
  package var lockState: () -> LockState
  /// Locks the keychain. Returns false if its key is in a file, so that it can't be locked.
  package var lock: () -> Bool
  /// Whether the keychain opens without asking anybody, so that it can't be locked.
  package var opensUnasked: () -> Bool = { true }
  /// The program that asks a person for the passphrase and unlocks the keychain, with its arguments; `nil` if nobody is
  /// to be asked.
  package var unlockProgram: [String]?
  /// The same for an unlocked keychain: it succeeds only if the passphrase was given.
  package var unlockAgainProgram: [String]?
  /// The same with the passphrase on its standard input.
  package var unlockWithPassphraseProgram: [String]
  /// How many seconds without a call until the keychain is locked; `nil` for its own limits.
  package var idle: Int?
  /// How many milliseconds old the shown items may be, if the keychain doesn't report changes; `nil` if it does.
  package var freshness: Int?
  /// How many secrets may be read at a time; several if a person may have to be asked for one.
  package var readers = 1
  /// A query to make when a search for these attributes finds nothing in the list of all items, because a person may
  /// allow it; `nil` if the list is complete.
  package var question: (LookupAttributes) -> ItemQuery? = { _ in nil }
  /// Makes a keychain stop asking when the answer is no longer wanted.
  package var whileWanted: @Sendable (any KeychainStore, _ isWanted: @escaping @Sendable () -> Bool) -> Void =
    { _, _ in }
  /// A further name for the service, by which llavero knows which keychain it serves.
  package var furtherName: String?
  package var onServing: () -> Void
  /// How people are asked about programs; `nil` if every program may use everything.
  package var asking: ProgramAsking?
  /// Receives each access; `nil` for no log.
  package var log: ((Access) -> Void)?
  /// Describes an error of the keychain for people, in one line.
  package var explain: (KeychainError) -> String
  package var say: (String) -> Void

  /// Settings for serving the whole keychain.
  package init(
    busAddress: String, replaces: Bool,
    open: @escaping @Sendable () throws(KeychainError) -> any KeychainStore,
    readAll: @escaping @Sendable (any KeychainStore) throws(KeychainError) -> [Item],
    isAsSeen: @escaping @Sendable (any KeychainStore) -> Bool, lockState: @escaping () -> LockState,
    lock: @escaping () -> Bool, unlockProgram: [String]?,
    unlockWithPassphraseProgram: [String], idle: Int?,
    onServing: @escaping () -> Void, explain: @escaping (KeychainError) -> String,
    say: @escaping (String) -> Void
  ) {
    self.busAddress = busAddress
    self.replaces = replaces
    self.open = open
    self.readAll = readAll
    self.isAsSeen = isAsSeen
    self.lockState = lockState
    self.lock = lock
    self.unlockProgram = unlockProgram
    self.unlockWithPassphraseProgram = unlockWithPassphraseProgram
    self.idle = idle
    self.onServing = onServing
    self.explain = explain
    self.say = say
  }
}
