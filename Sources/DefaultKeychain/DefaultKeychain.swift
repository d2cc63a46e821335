public import EncryptedFile
public import Keychain
public import KeychainChoice

/// The user's keychain, as the `llavero` command itself would choose it.
///
/// It is the first of these: the one in the settings; the one in `LLAVERO_KEYCHAIN`; the one chosen before, by the
/// first `add` of any of the user's programs or by `llavero keychain use`; the encrypted file, if it exists; a
/// keychain that ssh forwards to this machine, which is not remembered; a Secret Service that answers within a second
/// and has a persistent collection; a new encrypted file. The others of the search list (`llavero keychain list`) are
/// asked with it, unless the settings or the environment name one. A chosen keychain that is locked, broken or missing
/// is never replaced by another: its error is thrown. A later choice of the user takes effect with the next call.
///
/// The first call that needs the keychain opens it, and a later call opens it again after it went away. So an object
/// can be made when a program starts, and kept while it runs. The environment is read once, when the object is made.
/// The process is not changed, nothing is written to its streams, and no program is run: an encrypted file that only
/// `LLAVERO_PASSPHRASE_COMMAND`, the program of a slot or an age plugin would open is locked. systemd's credential
/// `llavero` does open one. An agent of `llavero` that is already running keeps a passphrase that the user types, for
/// as long as `llavero unlock` would; no agent is started. Changes of a keychain shared through git reach the others
/// when llavero's own programs use it next, or at once by `llavero sync`. A keychain in OpenBao is passed over, or an
/// error if it is named.
///
/// Only one thread may use it at a time, not always the same one; a child process after fork(2) must not use it.
public final class DefaultKeychain: KeychainWrapper {
  private let settings: Settings
  private let environment: KeychainEnvironment
  /// The location of the encrypted file, whether or not it exists.
  public let location: VaultLocation

  private var opened: OpenKeychain?
  /// The search list as it was when the keychain was opened.
  private var others = KeychainList()
  /// The number of running bodies of `reading` and `exclusively`, all on the open keychain.
  private var depth = 0
  /// Whether a running body has added an item.
  private var hasAdded = false

  /// Finds out which keychain was chosen, without opening it.
  ///
  /// - Throws: `KeychainError.unavailable` if the environment can't be understood or has no `HOME`;
  ///   `KeychainError.fault` and errors of reading if the choice is unknown.
  public convenience init(_ settings: Settings = Settings()) throws(KeychainError) {
    try self.init(settings, environment: .captured())
  }

  package init(_ settings: Settings, environment: KeychainEnvironment) throws(KeychainError) {
    self.settings = settings
    self.environment = environment
    location = try environment.location()
    _ = try choiceSoFar()
  }

  /// The keychain in use, and the reason for it; opens the keychain.
  ///
  /// - Throws: `KeychainError` if it is unknown, or can't be used.
  public func choice() throws(KeychainError) -> KeychainChoice { try current().choice }

  /// `nil`: only llavero's own programs get new secrets.
  public var renewer: (any SecretRenewing)? {
    get { nil }
    set {}
  }

  // MARK: Items

  /// Adds an item. If no keychain was chosen before, this one is used from now on.
  @discardableResult
  public func add(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    let store = try wrapped()
    let added = try store.add(item, credential)
    // A list says by itself that it has added something.
    if store.searchList == nil { remember() }
    return added
  }

  /// Adds an item from elsewhere, keeping its dates.
  @discardableResult
  public func add(
    keepingDatesOf item: Item, _ credential: borrowing Credential
  ) throws(KeychainError) -> Item {
    let store = try wrapped()
    let added = try store.add(keepingDatesOf: item, credential)
    if store.searchList == nil { remember() }
    return added
  }

  /// Deletes items.
  @discardableResult
  public func delete(_ items: [Item]) throws(KeychainError) -> Int {
    if items.isEmpty { return 0 }
    return try wrapped().delete(items)
  }

  /// Runs the body while nobody else can change the keychain, as far as its kind allows.
  public func exclusively<Result>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    let store = try wrapped()
    let hadAdded = hasAdded
    let result: Result
    do throws(KeychainError) {
      depth += 1
      defer { depth -= 1 }
      result = try store.exclusively(body)
    } catch {
      hasAdded = hadAdded
      throw error
    }
    if hasAdded { remember() }
    return result
  }

  /// Runs the body, which only reads, on a consistent state of the keychain, as far as its kind allows.
  public func reading<Result: ~Copyable>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    let store = try wrapped()
    depth += 1
    defer { depth -= 1 }
    return try store.reading(body)
  }

  // MARK: Choosing

  /// The keychain in use.
  public func wrapped() throws(KeychainError) -> any KeychainStore { try current().keychain }

  /// The keychain in use, with the reason for it. A body sees the same one throughout.
  private func current() throws(KeychainError) -> OpenKeychain {
    if depth > 0, let opened { return opened }
    let choice = try choiceSoFar()
    let list =
      choice?.isNamed == true ? KeychainList() : try KeychainList.read(in: location.stateFolder)
    if list == others {
      if var opened, let choice, choice.keychain == opened.choice.keychain {
        opened.choice = choice
        self.opened = opened
        return opened
      }
      // A service may have become available since.
      if let opened, choice == nil,
        opened.choice.reason == .answers || opened.choice.reason == .isForwarded
      {
        return opened
      }
    }
    let opener = LibraryOpener(environment, at: location, settings, again: opened)
    let opened = opener.adding(
      list, to: try opener.openChosen(choice),
      onUnusable: { [settings] name, error in settings.onNotice(.passedOver(keychain: name, error)) },
      onAdded: { [weak self] in self?.remember() })
    self.opened = opened
    others = list
    return opened
  }

  private func choiceSoFar() throws(KeychainError) -> KeychainChoice? {
    try KeychainChoice.made(named: settings.keychain, at: location, environment)
  }

  /// Remembers the choice after an item was added. If this fails, adding has still succeeded.
  private func remember() {
    hasAdded = depth > 0
    guard !hasAdded, var opened, opened.choice.isToBeRemembered else { return }
    do throws(KeychainError) {
      guard try opened.writeChoice() != nil else { return }
      settings.onNotice(.remembered(opened.choice))
      opened.choice = KeychainChoice(opened.choice.keychain, reason: .remembered(.now))
      self.opened = opened
    } catch {
      settings.onNotice(.notRemembered(opened.choice, error))
    }
  }
}
