public import Keychain
import Synchronization

/// A keychain that fails on demand, for testing how a program handles errors.
///
/// ```swift
/// let faults = KeychainFaults()
/// let keychain = SharedKeychain(FailingKeychain(InMemoryKeychain(), faults))
/// faults.fail([.adding, .updating], with: .system(operation: "write", path: "/tmp/x", errno: ENOSPC))
/// ```
public final class FailingKeychain: KeychainWrapper {
  private let keychain: any KeychainStore
  private let faults: KeychainFaults

  /// Creates a keychain that behaves like another one, except for the faults.
  public init(_ keychain: any KeychainStore, _ faults: KeychainFaults) {
    self.keychain = keychain
    self.faults = faults
  }

  /// The keychain that it behaves like.
  public func wrapped() -> any KeychainStore { keychain }

  /// `nil`, so that every question meets the faults.
  public var searchList: KeychainSearchList? { nil }

  /// The items that answer the query.
  public func items(matching query: ItemQuery) throws(KeychainError) -> [Item] {
    try faults.check(.reading)
    return try keychain.items(matching: query)
  }

  /// The confidential part of an item.
  public func credential(of item: Item) throws(KeychainError) -> Credential {
    try faults.check(.reading)
    return try keychain.credential(of: item)
  }

  /// Adds an item.
  @discardableResult
  public func add(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try faults.check(.adding)
    return try keychain.add(item, credential)
  }

  /// Adds an item with its dates.
  @discardableResult
  public func add(
    keepingDatesOf item: Item, _ credential: borrowing Credential
  ) throws(KeychainError) -> Item {
    try faults.check(.adding)
    return try keychain.add(keepingDatesOf: item, credential)
  }

  /// Changes an item's attributes.
  @discardableResult
  public func update(_ item: Item) throws(KeychainError) -> Item {
    try faults.check(.updating)
    return try keychain.update(item)
  }

  /// Changes an item's attributes and secret.
  @discardableResult
  public func update(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try faults.check(.updating)
    return try keychain.update(item, credential)
  }

  /// Deletes items.
  @discardableResult
  public func delete(_ items: [Item]) throws(KeychainError) -> Int {
    try faults.check(.deleting)
    return try keychain.delete(items)
  }

  /// The readiness of the other keychain, or an error if the faults affect it.
  public func probe() -> KeychainReadiness {
    if let error = faults[.reading] { return KeychainReadiness(readingFailedWith: error) }
    if let error = faults[.adding] { return .notWritable(error) }
    return keychain.probe()
  }
}

extension FailingKeychain: ChangeReporting {
  /// Reports changes of the other keychain.
  public func onChange(
    _ report: @escaping @Sendable () -> Void
  ) throws(KeychainError) -> ChangeSubscription {
    try keychain.reportingChanges().onChange(report)
  }

  /// All items of the other keychain.
  public func revisions() throws(KeychainError) -> [ItemRevision] {
    try faults.check(.reading)
    return try keychain.reportingChanges().revisions()
  }
}

/// The faults of a ``FailingKeychain``. A test can change them while the program uses the keychain.
public final class KeychainFaults: Sendable {
  /// An operation that can fail independently.
  public enum Operation: Hashable, Sendable, CaseIterable {
    /// Finding items and reading their secrets.
    case reading
    /// Adding items.
    case adding
    /// Changing items.
    case updating
    /// Deleting items.
    case deleting
  }

  private let errors = Mutex<[Operation: KeychainError]>([:])

  /// Creates an object without faults.
  public init() {}

  /// The error that an operation throws now; `nil` if it works.
  public subscript(_ operation: Operation) -> KeychainError? { errors.withLock { $0[operation] } }

  /// Makes these operations fail from now on, by default all of them.
  public func fail(_ operations: [Operation] = Operation.allCases, with error: KeychainError) {
    errors.withLock { errors in
      for operation in operations { errors[operation] = error }
    }
  }

  /// Makes the keychain behave as if it were locked, and nobody unlocked it.
  public func lock() { fail(with: .locked(path: "in memory")) }

  /// Removes all faults.
  public func clear() { errors.withLock { $0 = [:] } }

  fileprivate func check(_ operation: Operation) throws(KeychainError) {
    if let error = self[operation] { throw error }
  }
}
