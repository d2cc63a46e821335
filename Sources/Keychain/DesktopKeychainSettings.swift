public import Bytes

/// Asks for the password of a collection, by its name. The result is called with the number of the attempt, from 1; it
/// gives `nil` if nobody can be asked, or not again.
public typealias KeyringPassword = (_ collection: String) -> (_ attempt: Int) throws(KeychainError) -> Secret?

/// The settings for using a desktop service.
public struct DesktopKeychainSettings {
  /// An event that a program using the keychain may want to report.
  public enum Notice: Hashable, Sendable {
    /// The service's prompt has been waiting for a person for a second.
    case prompting(program: String?)
    /// Another process has held the lock for five seconds.
    case waiting(path: String)
    /// A listing left out a collection because it is locked.
    case skipped(collection: String)
    /// Reading this many items takes a while.
    case reading(count: Int, program: String?)
    /// New items go to a collection that is lost when the session ends.
    case notLasting(collection: String)
  }

  /// The address of the session bus, in D-Bus notation; `nil` finds it in the environment or in its usual place.
  public var busAddress: String?
  /// The one collection to use, by the end of its path or by its label; `nil` searches all collections and puts new
  /// items into the default one.
  public var collection: String?
  /// Whether everything in the service counts, not only logins: other programs' entries and the collections, too.
  public var includesOtherItems = false
  /// Whether the service is the chosen keychain. Then a service without a lasting collection is an error, not empty.
  public var isChosen = false
  /// Whether secrets are encrypted on the bus.
  public var isEncrypted = true
  /// Whether secrets will be read, so that a session is opened as soon as it may be needed.
  public var readsSecrets = false
  /// The longest wait, in milliseconds, to find out whether a service answers.
  public var probeTimeout = 1000
  /// The longest time of a call, in milliseconds.
  public var callTimeout = 2000
  /// Whether the service may prompt.
  public var mayPrompt = true
  /// Asks for the password of a locked collection of gnome-keyring, in place of its prompt; `nil` has it prompt.
  public var password: KeyringPassword?
  /// gnome-keyring's folder; `nil` is its usual one, `$XDG_DATA_HOME/keyrings`.
  public var keyringFolder: String?
  /// The folder of the lock that keeps a user's processes from storing an item twice; `nil` takes none.
  public var lockFolder: String?
  /// How long a writer waits for others, in seconds.
  public var patience = 60
  /// Called with each notice.
  public var onNotice: (Notice) -> Void = { _ in }
  /// The source of dates for changes that the service has not dated yet.
  public var clock: () -> Timestamp = { .now }

  /// Makes the default settings.
  public init() {}
}
