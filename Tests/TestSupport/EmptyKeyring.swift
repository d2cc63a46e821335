import Glibc
import Keychain
import SecretService
import Synchronization

/// A private keyring like a new one, which an earlier test may have used: to start one takes longer than most tests.
public final class EmptyKeyring: Sendable {
  /// The keyring. It has the collections that it began with, and no items.
  public let keyring: PrivateKeyring

  private static let unused = Mutex<[PrivateKeyring]>([])

  /// Takes one that nobody uses, or starts it.
  public init() {
    keyring = Self.unused.withLock { $0.popLast() } ?? Self.started()
  }

  deinit {
    if (try? keyring.empty()) == true { Self.unused.withLock { $0.append(keyring) } }
  }

  private static func started() -> PrivateKeyring {
    _ = endsThemWithThisProcess
    return PrivateKeyring()
  }

  private static let endsThemWithThisProcess: Bool = atexit { EmptyKeyring.endUnused() } == 0

  /// Ends those that nobody uses, as the end of this process does.
  public static func endUnused() { unused.withLock { $0.removeAll() } }
}

extension PrivateKeyring {
  /// Deletes all items. Returns whether the keyring is as it began.
  fileprivate func empty() throws -> Bool {
    let keychain = try keychain()
    let before = try keychain.facts()
    guard before.collections.count == 2, before.collection?.isLocked == false else { return false }
    try keychain.delete(try keychain.items(matching: .all))
    return try keychain.facts().collection?.itemCount == 0
  }
}
