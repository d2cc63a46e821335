import Bytes
import Keychain

/// Something that was skipped.
public struct PassedOver: Hashable, Sendable {
  /// The reason.
  public enum Reason: String, CaseIterable, Hashable, Sendable {
    /// It can't be understood. It may contain a secret, so it is not shown.
    case malformed
    /// Its password is not UTF-8 text.
    case notText
    /// The file ends in the middle of it, or a quote in it is never closed.
    case cutOff
    /// Programs that read such a file interpret it differently.
    case disputed
    /// It has several addresses, and it can't be told where one ends.
    case addresses
    /// It is not a login but something else: a note, a card, a key.
    case noLogin
    /// It has no password.
    case noSecret
    /// Its program renews it, and writes it there again.
    case renewed
    /// It has a word that its program replaces by something else, such as another entry's password.
    case reference
    /// A person has chosen another one for the same.
    case notChosen
    /// It doesn't say what it is for.
    case noPlace
    /// Its program doesn't use it: a person has switched it off, or another one always answers in its place.
    case notInUse
    /// It is in the program's trash.
    case discarded
    /// The program that stores it couldn't decrypt it.
    case undecipherable
    /// It is a collection that nobody has unlocked.
    case locked
    /// It is for a part of a registry. podman and skopeo look for it in their file, and ask helpers for the whole one.
    case partOfRegistry
    /// It is a password in a URL, in a setting from which none is taken out.
    case inURL
    /// It is a secret by its looks, in a setting from which none is taken out.
    case unknownSetting
  }

  /// Where it was.
  public let origin: Origin
  /// The reason.
  public let reason: Reason

  /// Whether it may be a login that somebody still has to bring in, and not something else, or one that was left out on
  /// purpose.
  public var mayBeLogin: Bool {
    switch reason {
    case .malformed, .notText, .cutOff, .disputed, .addresses, .reference, .noPlace, .notInUse,
      .undecipherable,
      .inURL, .unknownSetting:
      true
    case .noLogin, .noSecret, .renewed, .notChosen, .discarded, .locked, .partOfRegistry: false
    }
  }
}

/// The contents of a source, in their order.
public struct FoundLogins {
  /// The logins.
  public internal(set) var logins: [FoundLogin] = []
  /// The entries that were skipped.
  public private(set) var passedOver: [PassedOver] = []
  /// Whether the source contains anything else, such as comments or other settings.
  public private(set) var hasOthers = false
  /// Whether that is what a person has written into what a program exports, and may think to have in the keychain now.
  public internal(set) var hasOthersOfPerson = false

  /// Makes an empty result.
  public init() {}

  /// The number of logins whose path was left out, because it is that of a page.
  public internal(set) var pathsLeftOut = 0
  /// The logins that are for the same, and of which nothing says which one is in use.
  public internal(set) var keptApart: [KeptApart] = []
  /// The fields that were dropped, because they are of use to the source's program alone.
  public private(set) var bookkeeping: [String] = []

  /// Adds a login.
  public mutating func take(_ login: FoundLogin) {
    logins.append(login)
  }

  /// Adds a login of what was taken of a tool's file. The rest is left behind. One with a password in an address that an
  /// attribute would be is skipped: attributes aren't confidential.
  mutating func take(
    _ item: Item, _ credential: consuming Credential, of entry: borrowing SourceEntry
  ) {
    if item.hasPasswordInURL { return passOver(entry.origin, .inURL) }
    take(item, credential, of: entry, page: nil)
  }

  /// Adds a login of what was taken of an entry. The rest is left behind. One for a host with a character that nobody sees
  /// is skipped: it would be another host than the one that it looks like.
  mutating func take(
    _ item: Item, _ credential: consuming Credential, of entry: borrowing SourceEntry, page: ByteString?
  ) {
    if case .internetPassword(let key) = item.key, let server = key.server {
      if hasInvisible(host: server.bytes) { return passOver(entry.origin, .malformed) }
      if server.bytes.contains(UInt8(ascii: "*")) { return passOver(entry.origin, .noPlace) }
    }
    var item = item
    var credential = credential
    if case .internetPassword(var key) = item.key, let token = key.account.nonEmpty,
      credential.secret.isNoSecret
    {
      // No attribute is confidential.
      credential.secret = Secret(copying: token)
      key.account = "x-access-token"
      item.key = .internetPassword(key)
    }
    logins.append(FoundLogin(item, credential, of: entry, page: page))
    for name in entry.bookkeeping where !bookkeeping.contains(name) { bookkeeping.append(name) }
  }

  /// Notes that the source contains something else, which must stay.
  mutating func noteOthers() { hasOthers = true }

  /// Skips something.
  public mutating func passOver(_ origin: Origin, _ reason: PassedOver.Reason) {
    passedOver.append(PassedOver(origin: origin, reason: reason))
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
}
