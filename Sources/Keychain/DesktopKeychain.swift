/// A keychain managed by a desktop service, with what programs need beyond the items.
public protocol DesktopKeychain: KeychainStore {
  /// Describes the service and its collections, without unlocking anything.
  ///
  /// - Throws: ``KeychainError/noAnswer(call:milliseconds:)`` and ``KeychainError/refused(call:error:detail:)``.
  func facts() throws(KeychainError) -> DesktopKeychainFacts

  /// Whether the service is llavero's own, which serves another keychain. There is no need to ask it then.
  var isOwn: Bool { get }

  /// Whether the service is llavero's own and serves the keychain that is forwarded to this machine.
  var servesForwarded: Bool { get }

  /// Whether there is a collection for new items that outlives the login session.
  ///
  /// - Throws: ``KeychainError/noAnswer(call:milliseconds:)`` and ``KeychainError/refused(call:error:detail:)``.
  func keepsNewItems() throws(KeychainError) -> Bool

  /// Unlocks the collection in use, through the service's own prompt or else with a passphrase.
  ///
  /// - Parameters:
  ///   - isKnown: whether the passphrase is known, so that the service need not prompt.
  ///   - passphrase: asks the person; `attempt` counts from 1. `nil` stops asking.
  /// - Throws: ``KeychainError/collectionLocked(_:)`` if it stays locked; ``KeychainError/wrongPassphrase(path:)``.
  func unlock(
    isKnown: Bool, passphrase: (_ attempt: Int) throws(KeychainError) -> Secret?
  ) throws(KeychainError)

  /// Locks the collection in use.
  ///
  /// - Throws: ``KeychainError/noCollection(_:)`` if there is none; ``KeychainError/noAnswer(call:milliseconds:)`` and
  ///   ``KeychainError/refused(call:error:detail:)``.
  func lock() throws(KeychainError)

  /// An item with everything that the service has of it, to copy it elsewhere without loss: its lookup attributes,
  /// unless they follow from the others, its content type and its collection.
  ///
  /// - Parameters:
  ///   - item: an item from this keychain.
  ///   - asLogin: whether it may be a login. Two items with the same primary key can't both be one.
  /// - Returns: the item, as one of the Secret Service alone if a login could not hold all of it.
  /// - Throws: as ``KeychainStore/credential(of:)`` does.
  func whole(_ item: Item, asLogin: Bool) throws(KeychainError) -> Answer

  /// An item as programs find it: one of the Secret Service alone, with its label, its collection and all of its
  /// lookup attributes. Reads no secret, and therefore no content type.
  ///
  /// - Parameter item: an item from this keychain.
  /// - Throws: as ``KeychainStore/credential(of:)`` does.
  func asProgramsFind(_ item: Item) throws(KeychainError) -> Item

  /// Makes a collection, and makes it the default one if there is none.
  ///
  /// - Parameters:
  ///   - label: its name for people.
  ///   - isKnown: whether to use the passphrase in place of the service's prompt.
  ///   - passphrase: asks for the new passphrase; `nil` if nobody can be asked.
  /// - Throws: ``KeychainError/duplicateItem`` if a collection of that name exists.
  func createCollection(
    _ label: String, isKnown: Bool, passphrase: () throws(KeychainError) -> Secret?
  ) throws(KeychainError)
}

/// A desktop service's description of itself.
public struct DesktopKeychainFacts: Hashable, Sendable {
  /// One of the service's collections.
  public struct Collection: Hashable, Sendable {
    /// Its object path.
    public let path: String
    /// Its name for people.
    public let label: String
    /// Whether it has to be unlocked before its secrets can be read.
    public let isLocked: Bool
    /// How many items of any kind it holds; `nil` if it doesn't say.
    public let itemCount: Int?
    /// Its file, if that has no password, so that everybody who can read it can read its secrets.
    public let textFile: String?

    /// Takes the facts.
    public init(path: String, label: String, isLocked: Bool, itemCount: Int?, textFile: String? = nil) {
      self.textFile = textFile
      self.path = path
      self.label = label
      self.isLocked = isLocked
      self.itemCount = itemCount
    }

    /// Whether it outlives the login session. The one named `session` is kept only in memory.
    public var isLasting: Bool { !path.hasSuffix("/session") }

    /// The name that `--collection` accepts: the end of its path.
    public var name: String { path.split(separator: "/").last.map { String($0) } ?? path }
  }

  /// The address of the bus, in D-Bus notation.
  public let address: String
  /// The unique name of the service on the bus.
  public let owner: String
  /// The service's program, if it can be determined.
  public let program: String?
  /// The service's process.
  public let processID: UInt32?
  /// The collection that new items go to; `nil` if there is none.
  public let collection: Collection?
  /// All collections.
  public let collections: [Collection]

  /// Takes the facts.
  public init(
    address: String, owner: String, program: String?, processID: UInt32?, collection: Collection?,
    collections: [Collection]
  ) {
    self.address = address
    self.owner = owner
    self.program = program
    self.processID = processID
    self.collection = collection
    self.collections = collections
  }
}

/// One check of whether a keychain can be used, and why.
public struct Finding {
  /// The subject of the check: `bus`, `owner`, …
  public let subject: String
  /// The result; `nil` if nothing was found.
  public let value: String?
  /// The problem with it.
  public let problem: KeychainError?

  /// Makes a finding.
  public init(_ subject: String, _ value: String?, problem: KeychainError? = nil) {
    self.subject = subject
    self.value = value
    self.problem = problem
  }
}
