import Bytes
import EncryptedFile
import Keychain
import KeychainChoice
import ToolCommands

/// What the commands about keychains show and do for a kind of keychain.
protocol ManagedKind: KeychainDescriptor {
  /// The built-in keychain in a sentence, after an article.
  var title: String { get }
  /// The options of `llavero keychain add` that only some kinds have.
  var addingOptions: AddingOptions { get }

  /// What `llavero status` shows of a keychain.
  ///
  /// - Throws: ``KeychainError`` if it is broken. A locked one is not an error.
  func status(of keychain: OpenKeychain) throws(KeychainError) -> KindStatus

  /// Fills in a row of `llavero keychain list`, as far as that takes no question.
  ///
  /// - Throws: ``KeychainError`` if it can't be used. The row then has all that was found out before.
  func describe(_ keychain: OpenKeychain, in row: inout KeychainRow) throws(KeychainError)

  /// What `llavero doctor` finds about the built-in keychain; `nil` if there is none, and none is needed.
  func findings(_ selection: KeychainSelection) throws(KeychainError) -> [Finding]?

  /// Adds what `llavero doctor` finds about a listed keychain.
  ///
  /// - Throws: ``KeychainError`` if it can't be used.
  func examine(_ keychain: OpenKeychain, _ findings: inout [Finding]) throws(KeychainError)

  /// Why such a keychain is neither locked nor unlocked, if it isn't.
  var whyNotLockable: KeychainError { get }
  func unlock(_ keychain: OpenKeychain, as command: UnlockCommand) throws(KeychainError)
  /// Returns the sentence that says it; `nil` if there was nothing to lock, and that has been said.
  func lock(_ keychain: OpenKeychain, as command: LockCommand) throws(KeychainError) -> TextForTerminal?

  /// Checks that a keychain that is about to be chosen can take new items, perhaps after it is unlocked.
  ///
  /// - Throws: ``KeychainError`` if it can't.
  func refuseUnusable(_ keychain: OpenKeychain) throws(KeychainError)

  /// The number of items in a keychain, without asking anybody; `nil` if that can't be told.
  func count(in keychain: OpenKeychain) -> ItemCount?

  /// Refuses invalid options of `llavero keychain add` before anything is made.
  func refuseUnusable(_ adding: AddKeychainCommand) throws(KeychainError)

  /// Adds a keychain to the list, and makes it if need be.
  func add(_ adding: AddKeychainCommand, _ location: VaultLocation) throws(KeychainError)

  /// Says what keeps a keychain from being used that has just been added.
  func tellIfUnusable(_ adding: AddKeychainCommand, _ location: VaultLocation)
}

/// The options of `llavero keychain add` that only some kinds of keychain have.
struct AddingOptions: OptionSet {
  let rawValue: Int

  /// `--branch` and `--label`
  static let members = AddingOptions(rawValue: 1)
  /// `--set` and `--update`
  static let settings = AddingOptions(rawValue: 2)

  /// The kinds that have them, for a sentence.
  var kinds: String {
    KeychainKind.allCases.filter { $0.managed.addingOptions.isSuperset(of: self) }.map(\.rawValue)
      .joined(separator: " or ")
  }
}

/// A kind's part of `llavero status`.
struct KindStatus {
  let rows: [[String]]
  var expiring: ExpiringListing?
  /// The state of a shared keychain's repository or server.
  var sharing: SharingState?
  /// The rest of it for programs.
  let report: JSONObject
}

extension KeychainKind {
  var managed: any ManagedKind {
    guard let managed = descriptor as? any ManagedKind else {
      preconditionFailure("the commands know every kind of keychain")
    }
    return managed
  }
}

// What a kind does unless it says otherwise.
extension ManagedKind {
  var title: String { kind.rawValue }
  var addingOptions: AddingOptions { [] }

  func status(of keychain: OpenKeychain) throws(KeychainError) -> KindStatus {
    let choice = keychain.choice
    let count = try keychain.own.items(matching: .all).count
    let rows = [
      ["keychain", "\(choice.name), \(kind.rawValue) \(choice.keychain.place), \(choice.reasonText)"],
      ["items", "\(count)"],
    ]
    return KindStatus(rows: rows, report: ["place": choice.keychain.place, "items": count])
  }

  func describe(_ keychain: OpenKeychain, in row: inout KeychainRow) throws(KeychainError) {
    row.count = try keychain.own.items(matching: .all).count
  }

  func findings(_ selection: KeychainSelection) -> [Finding]? { nil }

  func examine(_ keychain: OpenKeychain, _ findings: inout [Finding]) throws(KeychainError) {
    findings.append(Finding("items", "\(try keychain.own.items(matching: .all).count)"))
  }

  var whyNotLockable: KeychainError {
    .failure("a keychain of the kind \(kind.rawValue) has no passphrase", status: .usage)
  }

  func unlock(_ keychain: OpenKeychain, as command: UnlockCommand) throws(KeychainError) {
    throw whyNotLockable
  }

  func lock(_ keychain: OpenKeychain, as command: LockCommand) throws(KeychainError) -> TextForTerminal? {
    throw whyNotLockable
  }

  func refuseUnusable(_ keychain: OpenKeychain) throws(KeychainError) {
    // A locked one unlocks when something is stored. Any other fault would only show then, perhaps unseen.
    guard case let readiness = keychain.own.probe(), !readiness.canKeepSecrets,
      let failure = readiness.reason?.failure
    else { return }
    throw failure.whereNothingIsChosen(status: .keychain)
  }

  func count(in keychain: OpenKeychain) -> ItemCount? { nil }

  func refuseUnusable(_ adding: AddKeychainCommand) throws(KeychainError) {}

  func add(_ adding: AddKeychainCommand, _ location: VaultLocation) throws(KeychainError) {
    try adding.put(ListedKeychain(adding.name, kind, at: adding.place), into: location)
  }

  func tellIfUnusable(_ adding: AddKeychainCommand, _ location: VaultLocation) {}
}

extension Failure {
  /// The same where a keychain was to be used from now on, and another one stays in use.
  func whereNothingIsChosen(status: ExitStatus) -> KeychainError {
    .failure("\(message); new items go where they went before", hint: hint, status: status)
  }
}
