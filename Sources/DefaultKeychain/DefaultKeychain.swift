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

  private struct Opened {
    var choice: KeychainChoice
    let store: any KeychainStore
  }

  private var opened: Opened?
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
    try current().store.items(matching: query)
  }

  /// The confidential part of an item.
  public func credential(of item: Item) throws(KeychainError) -> Credential {
    try current().store.credential(of: item)
  }

  /// Adds an item. Where no keychain was chosen before, this one is from then on.
  @discardableResult
  public func add(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    let added = try current().store.add(item, credential)
    remember()
    return added
  }

  /// The same for an item that comes from elsewhere.
  @discardableResult
  public func add(
    keepingDatesOf item: Item, _ credential: borrowing Credential
  ) throws(KeychainError) -> Item {
    let added = try current().store.add(keepingDatesOf: item, credential)
    remember()
    return added
  }

  /// Changes an item's attributes.
  @discardableResult
  public func update(_ item: Item) throws(KeychainError) -> Item { try current().store.update(item) }

  /// Changes an item's attributes and secret.
  @discardableResult
  public func update(_ item: Item, _ credential: borrowing Credential) throws(KeychainError) -> Item {
    try current().store.update(item, credential)
  }

  /// Deletes items.
  @discardableResult
  public func delete(_ items: [Item]) throws(KeychainError) -> Int {
    if items.isEmpty { return 0 }
    return try current().store.delete(items)
  }

  /// Runs the body while nobody else can change the keychain, as far as its kind allows.
  public func exclusively<Result>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    let store = try current().store
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
    let store = try current().store
    depth += 1
    defer { depth -= 1 }
    return try store.reading(body)
  }

  // MARK: Which

  /// The keychain that is used now.
  func store() throws(KeychainError) -> any KeychainStore { try current().store }

  /// The same, and why. A body sees one from its beginning to its end.
  private func current() throws(KeychainError) -> Opened {
    if depth > 0, let opened { return opened }
    if let choice = try choiceSoFar() {
      if choice.kind != opened?.choice.kind { return try open(choice) }
      opened?.choice = choice
    } else if opened?.choice.reason != .answers {
      // A service may have come since the last look.
      return try openWhatAnswers()
    }
    guard let opened else { preconditionFailure("one is open, or was opened") }
    return opened
  }

  private func choiceSoFar() throws(KeychainError) -> KeychainChoice? {
    do throws(KeychainChoiceError) {
      return try KeychainChoice.made(named: settings.kind?.rawValue, at: location, environment)
    } catch {
      throw error.keychainError
    }
  }

  private func open(_ choice: KeychainChoice) throws(KeychainError) -> Opened {
    switch choice.kind {
    case .file: return keep(choice, try openFile())
    case .secretService: return keep(choice, try openDesktopKeychain(try desktopSettings()))
    }
  }

  private func openWhatAnswers() throws(KeychainError) -> Opened {
    let desktop = try desktopSettings()
    let why: String
    do throws(KeychainError) {
      let keychain = try openDesktopKeychain(desktop)
      if try keychain.keepsNewItems() {
        return keep(KeychainChoice(kind: .secretService, reason: .answers), keychain)
      }
      why = "it has no collection that lasts"
    } catch .unavailable(let reason) {
      why = reason
    } catch .noAnswer(let call, let milliseconds) {
      why = "it has not answered \(call) within \(milliseconds) milliseconds"
    } catch .refused(let call, _, let detail) {
      why = "it failed at \(call): \(detail)"
    } catch {
      why = "the collection that is asked for can't be used"
    }
    let choice = KeychainChoice(kind: .file, reason: .noService(why))
    if let opened, opened.choice.kind == .file { return keep(choice, opened.store) }
    return keep(choice, try openFile())
  }

  private func keep(_ choice: KeychainChoice, _ store: any KeychainStore) -> Opened {
    let opened = Opened(choice: choice, store: store)
    self.opened = opened
    return opened
  }

  private func openFile() throws(KeychainError) -> EncryptedFileKeychain {
    do throws(KeychainChoiceError) {
      return try environment.encryptedFile(at: location, settings)
    } catch {
      throw error.keychainError
    }
  }

  private func desktopSettings() throws(KeychainError) -> DesktopKeychainSettings {
    do throws(KeychainChoiceError) {
      return try environment.secretService(at: location, settings)
    } catch {
      throw error.keychainError
    }
  }

  /// Makes the choice last, once an item has been added. That this fails is no reason to say that adding did.
  private func remember() {
    hasAdded = depth > 0
    guard !hasAdded, var opened, opened.choice.isToBeRemembered else { return }
    do throws(KeychainError) {
      try RememberedKeychain.write(
        opened.choice.kind, vault: opened.choice.kind == .file ? location.vaultFile : nil,
        in: location.stateFolder)
      settings.onNotice(.remembered(opened.choice))
      opened.choice = KeychainChoice(kind: opened.choice.kind, reason: .remembered(.now))
      self.opened = opened
    } catch {
      settings.onNotice(.notRemembered(opened.choice, error))
    }
  }
}
