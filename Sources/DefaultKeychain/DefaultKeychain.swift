public import EncryptedFile
public import Keychain
public import KeychainChoice

/// The user's keychain: the one that the `llavero` command itself would use.
///
/// That is, in this order: the kind that the settings name; the one of `LLAVERO_KEYCHAIN`; the one that was chosen
/// before, on any of the user's programs' first `add` or by `llavero keychain use`; the encrypted file, where there is one;
/// a Secret Service that answers within a second and has a collection that lasts; the encrypted file. One that was
/// chosen is never replaced by another because it is locked, broken or away: then its error is thrown. A choice that
/// the user makes later holds from the next call on.
///
/// The keychain is opened by the first call that needs it, and again after it went away; so an object can be made when
/// a program starts, and kept for as long as it runs. The environment is read once, when the object is made. Nothing
/// of the process is changed, nothing is written to its streams, and no program is run: an encrypted file that only
/// `LLAVERO_PASSPHRASE_COMMAND`, the program of a slot or an age plugin would open is locked. systemd's credential `llavero` opens
/// one. A passphrase that somebody types is kept in the kernel's keyring, or by an agent of `llavero` that runs already, for
/// as long as `llavero unlock` would; no agent is started.
///
/// One thread at a time may use it, each time another one if need be; a child process after fork(2) may not.
public final class DefaultKeychain: KeychainStore {
  private let settings: Settings
  private let environment: KeychainEnvironment
  /// Where the encrypted file is or would be.
  public let location: VaultLocation

  private var opened: OpenKeychain?
  /// How many bodies of `reading` and `exclusively` are running, all in the keychain that is open.
  private var depth = 0
  /// Whether a body that is running has added an item.
  private var hasAdded = false

  /// Finds out which keychain was chosen. Opens none yet.
  ///
  /// - Throws: `KeychainError.unavailable` if the environment can't be understood or has no `HOME`;
  ///   `KeychainError.damaged` and what reading throws if it can't be told which keychain was chosen.
  public convenience init(_ settings: Settings = Settings()) throws(KeychainError) {
    try self.init(settings, environment: .captured())
  }

  /// The same in another environment.
  package init(_ settings: Settings, environment: KeychainEnvironment) throws(KeychainError) {
    self.settings = settings
    self.environment = environment
    location = try environment.location()
    _ = try choiceSoFar()
  }

  /// The keychain that is used now, and why; opens it.
  ///
  /// - Throws: `KeychainError` if it can't be told, or can't be used.
  public func choice() throws(KeychainError) -> KeychainChoice { try current().choice }

  // MARK: Items

  /// The items that answer the query.
  public func items(matching query: ItemQuery) throws(KeychainError) -> [Item] {
    try current().keychain.items(matching: query)
  }

  /// The confidential part of an item.
  public func credential(of item: Item) throws(KeychainError) -> Credential {
    try current().keychain.credential(of: item)
  }

  /// Adds an item. Where no keychain was chosen before, this one is from then on.
  @discardableResult
  public func add(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    let added = try current().keychain.add(item, credential)
    remember()
    return added
  }

  /// The same for an item that comes from elsewhere.
  @discardableResult
  public func add(
    keepingDatesOf item: Item, _ credential: borrowing Credential
  ) throws(KeychainError) -> Item {
    let added = try current().keychain.add(keepingDatesOf: item, credential)
    remember()
    return added
  }

  /// Changes an item's attributes.
  @discardableResult
  public func update(_ item: Item) throws(KeychainError) -> Item { try current().keychain.update(item) }

  /// Changes an item's attributes and secret.
  @discardableResult
  public func update(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try current().keychain.update(item, credential)
  }

  /// Deletes items.
  @discardableResult
  public func delete(_ items: [Item]) throws(KeychainError) -> Int {
    if items.isEmpty { return 0 }
    return try current().keychain.delete(items)
  }

  /// Runs the body while nobody else can change the keychain, as far as its kind allows.
  public func exclusively<Result>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    let store = try current().keychain
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

  /// Runs the body, which only reads, on the keychain as it is at one moment, as far as its kind allows.
  public func reading<Result: ~Copyable>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    let store = try current().keychain
    depth += 1
    defer { depth -= 1 }
    return try store.reading(body)
  }

  // MARK: Which

  /// The keychain that is used now.
  func store() throws(KeychainError) -> any KeychainStore { try current().keychain }

  /// The same, and why. A body sees one from its beginning to its end.
  private func current() throws(KeychainError) -> OpenKeychain {
    if depth > 0, let opened { return opened }
    let choice = try choiceSoFar()
    if var opened, let choice, choice.kind == opened.choice.kind {
      opened.choice = choice
      self.opened = opened
      return opened
    }
    // A service may have come since the last look.
    if let opened, choice == nil, opened.choice.reason == .answers { return opened }
    do throws(KeychainChoiceError) {
      let opened = try opener.open(choice)
      self.opened = opened
      return opened
    } catch {
      throw error.keychainError
    }
  }

  private func choiceSoFar() throws(KeychainError) -> KeychainChoice? {
    do throws(KeychainChoiceError) {
      return try KeychainChoice.made(named: settings.kind?.rawValue, at: location, environment)
    } catch {
      throw error.keychainError
    }
  }

  private var opener: KeychainOpener {
    KeychainOpener(
      at: location,
      file: { [environment, location, settings, opened] () throws(KeychainChoiceError) in
        if let file = opened?.file { return file }
        return try environment.encryptedFile(at: location, settings)
      },
      desktop: { [environment, location, settings] () throws(KeychainChoiceError) in
        try environment.desktopKeychain(at: location, settings)
      })
  }

  /// Makes the choice last, once an item has been added. That this fails is no reason to say that adding did.
  private func remember() {
    hasAdded = depth > 0
    guard !hasAdded, var opened, opened.choice.isToBeRemembered else { return }
    do throws(KeychainError) {
      try opened.writeChoice()
      settings.onNotice(.remembered(opened.choice))
      opened.choice = KeychainChoice(kind: opened.choice.kind, reason: .remembered(.now))
      self.opened = opened
    } catch {
      settings.onNotice(.notRemembered(opened.choice, error))
    }
  }
}
