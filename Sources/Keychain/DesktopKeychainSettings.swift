/// The settings for using a desktop service.
public struct DesktopKeychainSettings {
  /// An event that a program using the keychain may want to report.
  public enum Notice: Hashable, Sendable {
    /// The service's prompt has been waiting for a person for a second.
    case prompting(program: String?)
    /// Another process has held the lock for five seconds.
    case waiting(path: String)
    /// A collection was left out of a listing because it is locked.
    case skipped(collection: String)
    /// This many items are being read, which will take a while.
    case reading(count: Int, program: String?)
    /// New items go to a collection that is lost when the session ends.
    case notLasting(collection: String)
  }

  /// The address of the session bus, in D-Bus notation; `nil` finds it in the environment or in its usual place.
  public var busAddress: String?
  /// The one collection to use, by the end of its path or by its label; `nil` finds items in all collections and puts
  /// new ones into the default one.
  public var collection: String?
  /// Whether everything in the service counts: also what other programs keep there that is no login, and the
  /// collections. Otherwise only logins are items.
  public var includesOtherItems = false
  /// Whether the service is the chosen keychain. Then it has a collection that lasts, and one without is an error, and
  /// not empty.
  public var isChosen = false
  /// Whether secrets are encrypted on the bus.
  public var isEncrypted = true
  /// Whether secrets will be read, so that a session is opened as soon as it may be needed.
  public var readsSecrets = false
  /// How long it may take to find out whether a service answers, in milliseconds.
  public var probeTimeout = 1000
  /// How long each call may take, in milliseconds.
  public var callTimeout = 2000
  /// Whether the service may prompt.
  public var mayPrompt = true
  /// The folder in which gnome-keyring keeps its files; `nil` is its usual one, `$XDG_DATA_HOME/keyrings`.
  public var keyringFolder: String?
  /// The folder of the lock that keeps the processes of one user from storing an item twice; `nil` takes none.
  public var lockFolder: String?
  /// How many seconds a writer waits for others.
  public var patience = 60
  /// Called with each notice.
  public var onNotice: (Notice) -> Void = { _ in }
  /// The source of dates for changes that the service has not dated yet.
  public var clock: () -> Timestamp = { .now }

  /// Makes the default settings.
  public init() {}
}
