import EncryptedFile
import Glibc
public import Keychain
import KeychainTesting
import SecretService
import Synchronization

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
    /// Whether the keychain takes its dates from a clock of its own, in whole seconds, and not from ``SettableClock``.
    var hasOwnTime = false
    /// Another keychain object over the same items; `nil` where there can be only one.
    var reopened: () -> (any KeychainStore)? = { nil }
  }

  /// Every kind. A later one is one more line.
  public static let all = [
    KeychainUnderTest(name: "in memory") { Instance(keychain: InMemoryKeychain(clock: $0.read)) },
    KeychainUnderTest(name: "encrypted file", factory: encryptedFile),
    KeychainUnderTest(name: "secret service", factory: secretService),
  ]

  /// Those that tell two changes within a second apart.
  public static let exact = all.filter { $0.name != "secret service" }

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

extension KeychainUnderTest {
  private static func secretService(_ clock: SettableClock) -> Instance {
    let keyring = PrivateKeyring()
    let time = ServiceTime(clock)
    func open() -> any KeychainStore {
      do {
        return try keyring.keychain { settings in
          settings.clock = { withExtendedLifetime(keyring) { time.read() } }
        }
      } catch {
        fatalError("cannot open the private keyring: \(error)")
      }
    }
    return Instance(keychain: open(), hasOwnTime: true, reopened: open)
  }
}

/// Lets real time pass where a test's clock was put forward between two writes: the service dates items by itself.
private final class ServiceTime: Sendable {
  private let clock: SettableClock
  private let last: Mutex<(shown: Timestamp, written: time_t)>

  init(_ clock: SettableClock) {
    self.clock = clock
    last = Mutex((clock.now, 0))
  }

  /// Called for each write.
  func read() -> Timestamp {
    let now = clock.now
    last.withLock { last in
      if now > last.shown { while time(nil) <= last.written { usleep(10_000) } }
      last = (now, time(nil))
    }
    return now
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

  /// Whether the date is that of a change which was made just now.
  public func isNow(_ date: Timestamp?) -> Bool {
    guard let date else { return false }
    return instance.hasOwnTime ? abs(date.seconds - Timestamp.now.seconds) <= 5 : date == clock.now
  }

  /// How often the keychain has put something on the disk; `nil` where that can't be told.
  public var writes: Int64? { instance.writes() }

  /// What another process would see: the same items through another object, or the keychain itself where there can
  /// be only one.
  public var reopened: any KeychainStore { instance.reopened() ?? keychain }
}
