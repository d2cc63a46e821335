import Bytes
package import Keychain

/// What a service needs to serve a keychain.
package struct ProviderSettings {
  /// Whether a keychain can be used without asking anybody.
  package enum LockState: Sendable {
    case unlocked
    case locked
    /// It can't be used at all.
    case unusable(KeychainError)
  }

  /// The address of the message bus.
  package var busAddress: String
  /// Whether to take the name away from a program that allows that.
  package var replaces: Bool
  /// Opens the keychain anew. It is called once for each thread that uses the keychain, and must ask nobody.
  package var open: @Sendable () throws(KeychainError) -> any KeychainStore
  /// Reads all items of a keychain.
  package var readAll: @Sendable (any KeychainStore) throws(KeychainError) -> [Item]
  /// Whether a keychain is as it was read last, but for what the object itself has changed since.
  package var isAsSeen: @Sendable (any KeychainStore) -> Bool
  /// Tells the state that the keychain is in, if that can be told at once: something that no other state has.
  package var presentState: () -> [UInt8]? = { nil }
  /// Tells whether the keychain is locked. It must not wait for anything.
  package var lockState: () -> LockState
  /// Locks the keychain. Returns false if it can't be locked, because its key is in a file.
  package var lock: () -> Bool
  /// Whether the keychain opens without asking anybody, so that it can't be locked.
  package var opensUnasked: () -> Bool = { true }
  /// The program that asks a person for the passphrase and unlocks the keychain, with its arguments. `nil` if nobody is
  /// to be asked.
  package var unlockProgram: [String]?
  /// The same for a keychain that is unlocked already: it ends well only if the passphrase was given.
  package var unlockAgainProgram: [String]?
  /// The same with the passphrase on its standard input.
  package var unlockWithPassphraseProgram: [String]
  /// After how many seconds without a call the keychain is locked; `nil` for the limits that it has by itself.
  package var idle: Int?
  /// For how many milliseconds what was read last may be shown, if the keychain doesn't tell of changes; `nil` if it
  /// does.
  package var freshness: Int?
  /// How many secrets may be read at a time. Where a person may have to be asked for one, several.
  package var readers = 1
  /// What is to be asked for by itself if a search for these attributes finds nothing in the list of all items, because
  /// a person may allow it; `nil` if the list has everything.
  package var question: (LookupAttributes) -> ItemQuery? = { _ in nil }
  /// Tells a keychain to go on asking only while somebody wants to know.
  package var whileWanted: @Sendable (any KeychainStore, _ isWanted: @escaping @Sendable () -> Bool) -> Void =
    { _, _ in }
  /// Another name that the service has beside its usual ones, by which llavero knows what it serves.
  package var furtherName: String?
  /// Called when the service has its name.
  package var onServing: () -> Void
  /// How a person is asked about each program; `nil` if every program may use everything.
  package var asking: ProgramAsking?
  /// Told of each access; `nil` if nothing is logged.
  package var log: ((Access) -> Void)?
  /// Says an error of the keychain for people, in one line.
  package var explain: (KeychainError) -> String
  /// Tells something on standard error.
  package var say: (String) -> Void

  /// Makes the settings of a service that is there for everything that the keychain has.
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
