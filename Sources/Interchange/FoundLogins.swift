public import Keychain

/// Where something was found, as a person finds it again.
public enum Origin: Hashable, Sendable {
  /// The line of a file, from 1 on.
  case line(Int)
  /// The line of a file, from 1 on, and the host that it names.
  case machine(ByteString, line: Int)
  /// The name that a program has for it.
  case entry(ByteString)
}

/// A change of a file by which a login is gone from it.
public struct Removal: Hashable, Sendable {
  /// Which bytes of the file go.
  public let range: Range<Int>
  /// What stands there afterwards.
  public let replacement: StaticText

  /// Takes the range, and what stands there afterwards.
  public init(_ range: Range<Int>, replacement: StaticText = .nothing) {
    self.range = range
    self.replacement = replacement
  }

  /// What can stand where a login was.
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

/// One login that was found elsewhere. An object, because what is confidential can't be an element of an array.
public final class FoundLogin {
  /// What it is for.
  public let item: Item
  /// What it keeps confidential.
  public let credential: Credential
  /// Where it was.
  public let origin: Origin
  /// What has to be done to its file so that it is gone from there. Those of two logins are never of overlapping ranges,
  /// but may be the same ones: of a password for several servers, which goes when all of these have been kept.
  public let removals: [Removal]
  /// The item of another keychain that it was.
  public let original: Item?
  /// What stands beside it that no item has room for, in a word each: `notes`, `one-time code`. Where there is
  /// something, it stays at its source.
  public let leftBehind: [String]

  /// Takes the parts.
  public init(
    _ item: Item, _ credential: consuming Credential, at origin: Origin, removals: [Removal] = [],
    leftBehind: [String] = [], from original: Item? = nil
  ) {
    self.item = item
    self.credential = credential
    self.origin = origin
    self.removals = removals
    self.leftBehind = leftBehind
    self.original = original
  }
}

/// Something that was passed over.
public struct PassedOver: Hashable, Sendable {
  /// Why.
  public enum Reason: Hashable, Sendable {
    /// It can't be understood. It may hold a secret, and is not shown.
    case malformed
    /// Programs that read such a file take it for different things.
    case disputed
    /// Several addresses stand together, and where one ends can't be told.
    case addresses
    /// It is of another kind: a note, a card, a key.
    case noLogin
    /// There is no password, or only a reference to another entry's.
    case noSecret
    /// It names nothing that it is for.
    case noPlace
    /// It lies among what was thrown away there.
    case discarded
    /// The program that keeps it couldn't decrypt it.
    case undecipherable
  }

  /// Where it was.
  public let origin: Origin
  /// Why.
  public let reason: Reason
}

/// What was found in a source, in its order.
public struct FoundLogins {
  /// The logins.
  public private(set) var logins: [FoundLogin] = []
  /// What was passed over.
  public private(set) var passedOver: [PassedOver] = []
  /// Whether there is something else in the source that isn't just its form, as a comment or another setting.
  public private(set) var hasOthers = false

  /// Nothing yet.
  public init() {}

  /// Takes a login.
  public mutating func take(_ login: FoundLogin) {
    logins.append(login)
  }

  /// Notes that the source has something else, which is to stay.
  mutating func noteOthers() { hasOthers = true }

  /// Passes over each login whose item another one is, too, with another secret: which of them answers depends on the
  /// program that reads the file, or it refuses the file for that.
  mutating func passOverContradictions() {
    var firsts: [Item.Key: Int] = [:]
    var disputed: Set<Item.Key> = []
    for (index, login) in logins.enumerated() {
      let key = login.item.key.primaryKey
      let first = firsts[key] ?? index
      firsts[key] = first
      if !logins[first].credential.hasSameSecret(as: login.credential) { disputed.insert(key) }
    }
    if disputed.isEmpty { return }
    for login in logins where disputed.contains(login.item.key.primaryKey) {
      passOver(login.origin, .disputed)
    }
    logins.removeAll { disputed.contains($0.item.key.primaryKey) }
  }

  /// Puts the logins in the order in which the items answer that they were, the one changed last first; where dates are
  /// the same, the order stays.
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

  /// Passes something over.
  public mutating func passOver(_ origin: Origin, _ reason: PassedOver.Reason) {
    passedOver.append(PassedOver(origin: origin, reason: reason))
  }
}

/// A file that is not of the form that it should be, as a whole. Says nothing of what it holds.
public struct FormatFault: Error, Hashable {
  /// What is wrong with it, in small letters: `it has no column "password"`.
  public let reason: String
  /// The line, from 1 on, if it is about one.
  public let line: Int?

  /// Takes the parts.
  public init(_ reason: String, line: Int? = nil) {
    self.reason = reason
    self.line = line
  }
}
