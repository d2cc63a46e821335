import CredentialProtocols
public import Keychain

/// Where something was found, to help a person find it.
public enum Origin: Hashable, Sendable {
  /// The line of a file, counting from 1.
  case line(Int)
  /// Several lines of a file, counting from 1.
  case lines(ClosedRange<Int>)
  /// The line of a file, counting from 1, and its host.
  case machine(ByteString, line: Int)
  /// A program's name for it.
  case entry(ByteString)
}

/// A change of a file that removes a login from it.
public struct Removal: Hashable, Sendable {
  /// The bytes of the file to be removed.
  public let range: Range<Int>
  /// The text to put in their place.
  public let replacement: StaticText
  /// Whether the range is a member of a JSON object; a comma goes with it. Which one depends on the members that stay.
  public let isMember: Bool

  /// Makes a removal.
  public init(_ range: Range<Int>, replacement: StaticText = .nothing) {
    self.range = range
    self.replacement = replacement
    isMember = false
  }

  /// Makes the removal of a member of a JSON object.
  ///
  /// - Parameter member: from the quote before its name to the end of its value.
  init(member: Range<Int>) {
    range = member
    replacement = .nothing
    isMember = true
  }

  /// The texts that can replace a login.
  public enum StaticText: Hashable, Sendable {
    case nothing
    /// `{}`
    case emptyObject
    /// `""`
    case emptyString

    /// The text itself.
    public var bytes: [UInt8] {
      switch self {
      case .nothing: []
      case .emptyObject: Array("{}".utf8)
      case .emptyString: Array("\"\"".utf8)
      }
    }
  }
}

/// A login found elsewhere. A class, because confidential parts can't be elements of an array.
public final class FoundLogin {
  /// The login as an item.
  public private(set) var item: Item
  /// The item's primary key, made at each call to save memory: a file may have a hundred thousand logins.
  public var primaryKey: Item.Key { item.key.primaryKey }
  /// Its confidential part.
  public internal(set) var credential: Credential
  /// Where it was.
  public let origin: Origin
  /// The changes that remove it from its file. The ranges of two logins never overlap, but may be the same: a password
  /// for several servers is removed after all of its logins have been stored.
  public var removals: [Removal] {
    rare?.removalsTogether ?? (firstRemoval.map { [$0] } ?? []) + (rare?.furtherRemovals ?? [])
  }
  /// Most have only this one.
  private let firstRemoval: Removal?
  /// The item of another keychain that it came from.
  public var original: Item? { rare?.original }
  /// The item as programs find it in its original Secret Service.
  public var asProgramsFind: Item? { rare?.asProgramsFind }
  /// Its parts that don't fit into an item, in a few words each: `notes`, `one-time code`. If there are any, the login
  /// is not removed from its source.
  public internal(set) var leftBehind: [String] {
    get { rare?.leftBehind ?? [] }
    set { withRare().leftBehind = newValue }
  }
  /// Differences from an earlier login of the same item, which has them as further fields.
  public internal(set) var contradictions: [String] {
    get { rare?.contradictions ?? [] }
    set { withRare().contradictions = newValue }
  }
  /// Whether it may have been in its source's trash, so that its date doesn't make it the active one.
  let mayBeDiscarded: Bool
  /// Whether it was part of a URL, which stays without its password.
  let isInURL: Bool
  /// Whether its source's rule makes its path that of a page, which doesn't say what the login is for.
  let isOfPage: Bool
  /// Whether it became the login for the whole server.
  public private(set) var isPathLeftOut = false

  /// Rare properties, kept apart because a file may have a hundred thousand logins without them.
  private final class Rare {
    var furtherRemovals: [Removal] = []
    /// Its own removals and those of others, if they must go together.
    var removalsTogether: [Removal]?
    var original: Item?
    var asProgramsFind: Item?
    var leftBehind: [String] = []
    var contradictions: [String] = []
    /// The page's address, if the item's key has another form.
    var page: ByteString?
  }

  private var rare: Rare?

  private func withRare() -> Rare {
    let rare = rare ?? Rare()
    self.rare = rare
    return rare
  }

  /// Makes a login from a keychain's item, which has determined by itself what doesn't fit.
  public init(
    _ item: Item, _ credential: consuming Credential, at origin: Origin, removals: [Removal] = [],
    leftBehind: [String] = [], from original: Item? = nil, asProgramsFind: Item? = nil
  ) {
    self.item = item
    self.credential = credential
    self.origin = origin
    firstRemoval = removals.first
    mayBeDiscarded = false
    isInURL = false
    isOfPage = false
    if removals.count > 1 { withRare().furtherRemovals = Array(removals.dropFirst()) }
    if !leftBehind.isEmpty { withRare().leftBehind = leftBehind }
    if original != nil { withRare().original = original }
    if asProgramsFind != nil { withRare().asProgramsFind = asProgramsFind }
  }

  /// Makes a login from the taken parts of an entry. The rest is left behind.
  ///
  /// - Parameter page: the address whose path is that of a page.
  init(
    _ item: Item, _ credential: consuming Credential, of entry: borrowing SourceEntry, page: ByteString? = nil
  ) {
    self.item = item
    self.credential = credential
    origin = entry.origin
    firstRemoval = entry.removals.first
    mayBeDiscarded = entry.mayBeDiscarded
    isInURL = entry.isInURL
    isOfPage = page != nil
    if entry.removals.count > 1 { withRare().furtherRemovals = Array(entry.removals.dropFirst()) }
    let leftBehind = entry.leftBehind
    if !leftBehind.isEmpty { withRare().leftBehind = leftBehind }
    if let page, page != item.key.address { withRare().page = page }
  }

  var hasPath: Bool {
    if case .internetPassword(let key) = item.key { key.path != nil } else { false }
  }

  /// Makes it the login for the whole server. The item keeps the address with the path.
  func leaveOutPath() {
    guard case .internetPassword(var key) = item.key else { return }
    if let address = rare?.page ?? item.key.address { item.addAddress(address) }
    isPathLeftOut = true
    key.path = nil
    item.key = .internetPassword(key)
  }

  func takeAddresses(of other: FoundLogin) {
    for address in other.item.addresses { item.addAddress(address) }
  }

  /// Makes its removal depend on others.
  ///
  /// - Parameter all: the removals of all of them.
  func go(with all: [Removal]) { withRare().removalsTogether = all }

  func become(_ item: Item) { self.item = item }
}

extension Item.Key {
  fileprivate var address: ByteString? {
    guard case .internetPassword(let key) = self else { return nil }
    return key.url().map { ByteString($0) }
  }

  var withoutPath: Item.Key {
    guard case .internetPassword(var key) = self else { return self }
    key.path = nil
    return .internetPassword(key)
  }
}
