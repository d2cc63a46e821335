import CredentialProtocols
public import Keychain

/// Where something was found, in a form that helps a person to find it.
public enum Origin: Hashable, Sendable {
  /// The line of a file, counting from 1.
  case line(Int)
  /// Several lines of a file, counting from 1.
  case lines(ClosedRange<Int>)
  /// The line of a file, counting from 1, and the host that it names.
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
  /// Whether they are a member of a JSON object, with which the comma goes that belongs to it. Which one that is depends
  /// on the members that stay.
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

/// One login that was found elsewhere. A class, because confidential parts can't be elements of an array.
public final class FoundLogin {
  /// What it is for.
  public private(set) var item: Item
  /// The item's primary key. Made anew each time, because a file may have a hundred thousand logins.
  public var primaryKey: Item.Key { item.key.primaryKey }
  /// Its confidential part.
  public internal(set) var credential: Credential
  /// Where it was.
  public let origin: Origin
  /// The changes that remove it from its file. The ranges of two logins never overlap, but may be the same: a
  /// password for several servers is removed when all of its logins have been stored.
  public var removals: [Removal] {
    rare?.removalsTogether ?? (firstRemoval.map { [$0] } ?? []) + (rare?.furtherRemovals ?? [])
  }
  /// Most have only this one.
  private let firstRemoval: Removal?
  /// The item in another keychain that it came from.
  public var original: Item? { rare?.original }
  /// The item as programs find it in the Secret Service that it came from.
  public var asProgramsFind: Item? { rare?.asProgramsFind }
  /// Parts of it that don't fit into an item, in a few words each: `notes`, `one-time code`. If there are any, the
  /// login is not removed from its source.
  public internal(set) var leftBehind: [String] {
    get { rare?.leftBehind ?? [] }
    set { withRare().leftBehind = newValue }
  }
  /// What another login of the same item, which came before, says otherwise: that item has it as further fields.
  public internal(set) var contradictions: [String] {
    get { rare?.contradictions ?? [] }
    set { withRare().contradictions = newValue }
  }
  /// Whether it may have been in the trash of its source, so that no date makes it the one in use.
  let mayBeDiscarded: Bool
  /// Whether it was a part of a URL, which stays without its password.
  let isInURL: Bool
  /// Whether its path is that of a page by the rule of its source, so that the path says nothing about what the login is
  /// for.
  let isOfPage: Bool

  /// What few logins have. Apart from them, because a file may have a hundred thousand without it.
  private final class Rare {
    var furtherRemovals: [Removal] = []
    /// Its own with those of others, if they go together.
    var removalsTogether: [Removal]?
    var original: Item?
    var asProgramsFind: Item?
    var leftBehind: [String] = []
    var contradictions: [String] = []
    /// The address of the page, if the item's key is of another form.
    var page: ByteString?
  }

  private var rare: Rare?

  private func withRare() -> Rare {
    let rare = rare ?? Rare()
    self.rare = rare
    return rare
  }

  /// Makes a login of what a keychain has, which has counted by itself what doesn't fit.
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

  /// Makes a login of what was taken of an entry. The rest is left behind.
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

  /// Whether it is for a part of a server.
  var hasPath: Bool {
    if case .internetPassword(let key) = item.key { key.path != nil } else { false }
  }

  /// Makes it the login for the whole server. The item keeps the address that has the path.
  func leaveOutPath() {
    guard case .internetPassword(var key) = item.key else { return }
    if let address = rare?.page ?? item.key.address { item.addAddress(address) }
    key.path = nil
    item.key = .internetPassword(key)
  }

  /// Takes the addresses that another login of the same item has.
  func takeAddresses(of other: FoundLogin) {
    for address in other.item.addresses { item.addAddress(address) }
  }

  /// Has it go from its file only together with others.
  ///
  /// - Parameter all: the removals of all of them.
  func go(with all: [Removal]) { withRare().removalsTogether = all }

  /// Makes it the login for something else.
  func become(_ item: Item) { self.item = item }
}

extension Item.Key {
  /// The address as a URL, for a login at a server.
  fileprivate var address: ByteString? {
    guard case .internetPassword(let key) = self else { return nil }
    return key.url().map { ByteString($0) }
  }

  /// The key of a login for the whole server.
  var withoutPath: Item.Key {
    guard case .internetPassword(var key) = self else { return self }
    key.path = nil
    return .internetPassword(key)
  }
}
