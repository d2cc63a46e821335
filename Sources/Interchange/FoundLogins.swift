public import Keychain

/// Where something was found, in a form that helps a person to find it.
public enum Origin: Hashable, Sendable {
  /// The line of a file, counting from 1.
  case line(Int)
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

  /// Makes a removal.
  public init(_ range: Range<Int>, replacement: StaticText = .nothing) {
    self.range = range
    self.replacement = replacement
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
  public let item: Item
  /// The item's primary key. Made once, for whatever compares many logins.
  public let primaryKey: Item.Key
  /// Its confidential part.
  public let credential: Credential
  /// Where it was.
  public let origin: Origin
  /// The changes that remove it from its file. The ranges of two logins never overlap, but may be the same: a
  /// password for several servers is removed when all of its logins have been stored.
  public let removals: [Removal]
  /// The item in another keychain that it came from.
  public var original: Item? { elsewhere?.original }
  /// The item as programs find it in the Secret Service that it came from.
  public var asProgramsFind: Item? { elsewhere?.asProgramsFind }
  /// Parts of it that don't fit into an item, in a few words each: `notes`, `one-time code`. If there are any, the
  /// login is not removed from its source.
  public let leftBehind: [String]

  /// What only the logins of a keychain have. Apart from them, because it is twice as large as all the rest, and a file
  /// may have ten thousand logins without it.
  private final class Elsewhere {
    let original: Item?
    let asProgramsFind: Item?

    init(original: Item?, asProgramsFind: Item?) {
      self.original = original
      self.asProgramsFind = asProgramsFind
    }
  }

  private let elsewhere: Elsewhere?

  /// Makes a login.
  public init(
    _ item: Item, _ credential: consuming Credential, at origin: Origin, removals: [Removal] = [],
    leftBehind: [String] = [], from original: Item? = nil, asProgramsFind: Item? = nil
  ) {
    self.item = item
    primaryKey = item.key.primaryKey
    self.credential = credential
    self.origin = origin
    self.removals = removals
    self.leftBehind = leftBehind
    elsewhere =
      original == nil && asProgramsFind == nil
      ? nil : Elsewhere(original: original, asProgramsFind: asProgramsFind)
  }
}

/// Something that was skipped.
public struct PassedOver: Hashable, Sendable {
  /// The reason.
  public enum Reason: String, Hashable, Sendable {
    /// It can't be understood. It may contain a secret, so it is not shown.
    case malformed
    /// Programs that read such a file interpret it differently.
    case disputed
    /// It has several addresses, and it can't be told where one ends.
    case addresses
    /// It is not a login but something else: a note, a card, a key.
    case noLogin
    /// It has no password, or only a reference to another entry's.
    case noSecret
    /// It doesn't say what it is for.
    case noPlace
    /// It is in the program's trash.
    case discarded
    /// The program that stores it couldn't decrypt it.
    case undecipherable
    /// It is a collection that nobody has unlocked.
    case locked
    /// It is for a part of a registry. podman and skopeo look for it in their file, and ask helpers for the whole one.
    case partOfRegistry
  }

  /// Where it was.
  public let origin: Origin
  /// The reason.
  public let reason: Reason
}

/// The contents of a source, in their order.
public struct FoundLogins {
  /// The logins.
  public private(set) var logins: [FoundLogin] = []
  /// The entries that were skipped.
  public private(set) var passedOver: [PassedOver] = []
  /// Whether the source contains anything else, such as comments or other settings.
  public private(set) var hasOthers = false

  /// Makes an empty result.
  public init() {}

  /// Adds a login.
  public mutating func take(_ login: FoundLogin) {
    logins.append(login)
  }

  /// Notes that the source contains something else, which must stay.
  mutating func noteOthers() { hasOthers = true }

  /// Skips all logins whose items have the same key but different secrets: which of them answers depends on the
  /// program that reads the file, or the program refuses the file.
  mutating func passOverContradictions() {
    var firsts: [Item.Key: Int] = [:]
    var disputed: Set<Item.Key> = []
    for (index, login) in logins.enumerated() {
      let key = login.primaryKey
      let first = firsts[key] ?? index
      firsts[key] = first
      if !logins[first].credential.hasSameSecret(as: login.credential) { disputed.insert(key) }
    }
    if disputed.isEmpty { return }
    for login in logins where disputed.contains(login.primaryKey) {
      passOver(login.origin, .disputed)
    }
    logins.removeAll { disputed.contains($0.primaryKey) }
  }

  /// Sorts the logins in the order in which their items would answer, most recently changed first. Logins with the
  /// same dates keep their order.
  public mutating func sortNewestFirst() {
    func date(_ login: FoundLogin) -> (Int64, Int64) {
      let item = login.original ?? login.item
      return (item.modificationDate?.milliseconds ?? .min, item.creationDate?.milliseconds ?? .min)
    }
    logins = logins.enumerated().sorted { left, right in
      let (first, second) = (date(left.element), date(right.element))
      return first == second ? left.offset < right.offset : first > second
    }.map(\.element)
  }

  /// Skips something.
  public mutating func passOver(_ origin: Origin, _ reason: PassedOver.Reason) {
    passedOver.append(PassedOver(origin: origin, reason: reason))
  }
}

/// An error about a file that as a whole doesn't have the expected format. Contains nothing of the file.
public struct FormatFault: Error, Hashable {
  /// The problem, in lower case: `it has no column "password"`.
  public let reason: String
  /// The line, counting from 1, if the problem is in a certain line.
  public let line: Int?

  /// Makes an error.
  public init(_ reason: String, line: Int? = nil) {
    self.reason = reason
    self.line = line
  }
}
