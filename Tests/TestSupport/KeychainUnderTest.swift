import EncryptedFile
import Forwarding
import Glibc
public import Keychain
import KeychainTesting
import SecretService
import Synchronization

/// A kind of keychain that the conformance suite tests, with a way to make a fresh one.
public struct KeychainUnderTest: Sendable, CustomStringConvertible {
  /// The kind's name, as test reports show it.
  public let name: String
  /// Makes an empty keychain that reads its dates from a clock.
  private let factory: @Sendable (SettableClock) -> Instance

  /// A fresh keychain, and facts about it that can be observed from outside.
  public struct Instance {
    var keychain: any KeychainStore
    /// The number of times that the keychain has written to the disk; `nil` if it is unknown.
    var writes: () -> Int64? = { nil }
    /// Whether the keychain uses its own clock, in whole seconds, instead of ``SettableClock``.
    var hasOwnTime = false
    /// Another keychain object for the same items; `nil` if there can be only one.
    var reopened: () -> (any KeychainStore)? = { nil }
  }

  /// All kinds. A new one takes one more line. The long form has those as well that cost much, or are nearly others.
  public static let all =
    [
      KeychainUnderTest(name: "in memory") { Instance(keychain: InMemoryKeychain(clock: $0.read)) },
      KeychainUnderTest(name: "encrypted file", factory: encryptedFile),
      KeychainUnderTest(name: "secret service", factory: secretService),
      KeychainUnderTest(name: "forwarded", factory: forwarded),
      KeychainUnderTest(name: "last of a list") { clock in
        searchList(Instance(keychain: InMemoryKeychain(clock: clock.read)), at: 2)
      },
    ] + (isLongForm ? ofLongForm : [])

  private static let ofLongForm =
    [KeychainUnderTest(name: "first of a list") { searchList(encryptedFile($0), at: 0) }]
    + (OpenBaoNode.program == nil ? [] : [KeychainUnderTest(name: "openbao", factory: openBao)])

  /// The kinds that distinguish two changes within a second.
  public static let exact = all.filter { $0.name != "secret service" }

  /// Whether an item has its reference and dates as soon as it was added, before what is done exclusively ends.
  public var namesItemsAtOnce: Bool { name != "secret service" && name != "forwarded" && name != "openbao" }

  /// Whether a primary key can have attributes of any length within ``ItemBounds``. In a path, a component is bounded.
  public var takesLongKeys: Bool { name != "openbao" }

  /// The kinds that can tell of changes.
  public static let reportingChanges = all.filter { $0.name != "forwarded" && $0.name != "openbao" }

  /// The kinds that give refresh tokens to whoever may use an item.
  public static let givingRefreshTokens = all.filter(\.givesRefreshTokens)

  /// Whether whoever may use an item gets its refresh token.
  public var givesRefreshTokens: Bool { name != "forwarded" }

  /// The name for test reports.
  public var description: String { name }

  /// Makes an empty keychain, whose clock begins at a time.
  public func make(at time: Timestamp = SettableClock.start) -> FreshKeychain {
    let clock = SettableClock(time)
    return FreshKeychain(factory(clock), clock)
  }

  private static func encryptedFile(_ clock: SettableClock) -> Instance {
    let folder = TemporaryFolder()
    let location = VaultLocation(vaultFolder: folder["data/llavero"], stateFolder: folder["state/llavero"])
    // The keychain keeps its clock alive, and so the folder.
    let read = { @Sendable in withExtendedLifetime(folder) { clock.now } }
    return Instance(
      keychain: EncryptedFileKeychain(at: location, clock: read),
      writes: { (try? EncryptedFileKeychain(at: location).summary()?.contents?.generation) ?? 0 },
      reopened: { EncryptedFileKeychain(at: location, clock: read) })
  }
}

extension KeychainUnderTest {
  /// A keychain to which new items go, in a list with two that have nothing, one of which others use, too.
  private static func searchList(_ home: Instance, at position: Int) -> Instance {
    func listed(_ store: any KeychainStore) -> KeychainSearchList {
      var members = [
        KeychainSearchList.Member("empty") { InMemoryKeychain() },
        KeychainSearchList.Member("shared", isShared: true) { InMemoryKeychain() },
      ]
      members.insert(KeychainSearchList.Member("home") { store }, at: position)
      return KeychainSearchList(members, newItemsIn: "home", hiding: HidingInMemory())
    }
    var instance = home
    instance.keychain = listed(home.keychain)
    instance.reopened = { home.reopened().map(listed) }
    return instance
  }

  /// An encrypted file on the other side, where a rule allows everything. Another process looks at that file.
  private static func forwarded(_ clock: SettableClock) -> Instance {
    var instance = encryptedFile(clock)
    let reopened = instance.reopened
    instance.keychain = ForwardedKeychain(to: { reopened() ?? InMemoryKeychain() }, clock: clock.read)
    return instance
  }

  /// A folder of its own in a real server, which dates the items by itself.
  private static func openBao(_ clock: SettableClock) -> Instance {
    let folder = "tests/" + String(UInt64.random(in: 0 ... .max), radix: 16)
    return Instance(
      keychain: OpenBaoNode.shared.keychain(in: folder), hasOwnTime: true,
      reopened: { OpenBaoNode.shared.keychain(in: folder) })
  }

  private static func secretService(_ clock: SettableClock) -> Instance {
    let empty = EmptyKeyring()
    let time = ServiceTime(clock)
    func open() -> any KeychainStore {
      do {
        return try empty.keyring.keychain { settings in
          settings.clock = { withExtendedLifetime(empty) { time.read() } }
        }
      } catch {
        fatalError("cannot open the private keyring: \(error)")
      }
    }
    return Instance(keychain: open(), hasOwnTime: true, reopened: open)
  }
}

/// Lets real time pass if a test advanced its clock between two writes, because the service dates items by itself.
private final class ServiceTime: Sendable {
  private let clock: SettableClock
  private let lastShown: Mutex<Timestamp>

  init(_ clock: SettableClock) {
    self.clock = clock
    lastShown = Mutex(clock.now)
  }

  /// Called before every write.
  func read() -> Timestamp {
    let now = clock.now
    lastShown.withLock { last in
      if now > last {
        // The service may have dated the former write at any time until now.
        let second = time(nil)
        while time(nil) <= second { usleep(10_000) }
      }
      last = now
    }
    return now
  }
}

/// A keychain that nobody else uses, with a clock that shows the time it was set to.
public final class FreshKeychain {
  /// The keychain itself.
  public let keychain: any KeychainStore
  /// The clock that it reads dates from.
  public let clock: SettableClock
  private let instance: KeychainUnderTest.Instance
  private let beginning = Timestamp.now

  init(_ instance: KeychainUnderTest.Instance, _ clock: SettableClock) {
    self.instance = instance
    self.clock = clock
    keychain = instance.keychain
  }

  /// Whether the date is that of a change made just now. Of a keychain with its own time that is known only as since
  /// the keychain was made, which may be long on a busy machine.
  public func isNow(_ date: Timestamp?) -> Bool {
    guard let date else { return false }
    if !instance.hasOwnTime { return date == clock.now }
    return beginning.seconds <= date.seconds && date.seconds <= Timestamp.now.seconds
  }

  /// The number of times that the keychain has written to the disk; `nil` if it is unknown.
  public var writes: Int64? { instance.writes() }

  /// The view of another process: the same items through another object, or the keychain itself if there can be only
  /// one.
  public var reopened: any KeychainStore { instance.reopened() ?? keychain }
}
