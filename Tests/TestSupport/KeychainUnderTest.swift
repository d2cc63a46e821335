import EncryptedFile
public import Keychain

/// A kind of keychain that the conformance suite runs over, and how a fresh one is made.
public struct KeychainUnderTest: Sendable, CustomStringConvertible {
  /// The kind's name, as test reports show it.
  public let name: String
  /// Makes an empty keychain that reads its dates from a clock.
  private let factory: @Sendable (SettableClock) -> Instance

  /// A fresh keychain, and what can be told of it from outside.
  public struct Instance {
    let keychain: any KeychainStore
    /// How often the keychain has put something on the disk; `nil` where that can't be told.
    var writes: () -> Int64? = { nil }
    /// Another keychain object over the same items; `nil` where there can be only one.
    var reopened: () -> (any KeychainStore)? = { nil }
  }

  /// Every kind. A later one is one more line.
  public static let all = [
    KeychainUnderTest(name: "in memory") { Instance(keychain: InMemoryKeychain(clock: $0.read)) },
    KeychainUnderTest(name: "encrypted file", factory: encryptedFile),
  ]

  /// What test reports show.
  public var description: String { name }

  /// Makes an empty keychain.
  public func make() -> FreshKeychain {
    let clock = SettableClock()
    return FreshKeychain(factory(clock), clock)
  }

  private static func encryptedFile(_ clock: SettableClock) -> Instance {
    let folder = TemporaryFolder()
    let location = VaultLocation(vaultFolder: folder["data/llavero"], stateFolder: folder["state/llavero"])
    // Whoever holds a keychain holds its clock, and by that the folder.
    let read = { @Sendable in withExtendedLifetime(folder) { clock.now } }
    return Instance(
      keychain: EncryptedFileKeychain(at: location, clock: read),
      writes: { (try? EncryptedFileKeychain(at: location).summary()?.contents?.generation) ?? 0 },
      reopened: { EncryptedFileKeychain(at: location, clock: read) })
  }
}

/// A keychain that nobody else uses, with a clock that stands still until it is set.
public final class FreshKeychain {
  /// The keychain itself.
  public let keychain: any KeychainStore
  /// What it reads dates from.
  public let clock: SettableClock
  private let instance: KeychainUnderTest.Instance

  init(_ instance: KeychainUnderTest.Instance, _ clock: SettableClock) {
    self.instance = instance
    self.clock = clock
    keychain = instance.keychain
  }

  /// How often the keychain has put something on the disk; `nil` where that can't be told.
  public var writes: Int64? { instance.writes() }

  /// What another process would see: the same items through another object, or the keychain itself where there can
  /// be only one.
  public var reopened: any KeychainStore { instance.reopened() ?? keychain }
}
