import Bytes
public import Keychain

/// Something that was skipped.
public struct PassedOver: Hashable, Sendable {
  /// The reason.
  public enum Reason: String, CaseIterable, Hashable, Sendable {
    /// It is invalid. It may contain a secret, so it is not shown.
    case malformed
    /// Its password is not UTF-8 text.
    case notText
    /// The file ends in the middle of it, or a quote in it is never closed.
    case cutOff
    /// Programs that read such a file interpret it differently.
    case disputed
    /// It has several addresses that can't be separated.
    case addresses
    /// It is not a login but something else: a note, a card, a key.
    case noLogin
    /// It has no password.
    case noSecret
    /// Its program renews it there.
    case renewed
    /// It contains a reference that its program replaces, for example by another entry's password.
    case reference
    /// A person has chosen another one for the same place.
    case notChosen
    /// It doesn't name its place.
    case noPlace
    /// Its program doesn't use it: it is switched off, or another one always answers in its place.
    case notInUse
    /// It is in the program's trash.
    case discarded
    /// Its program couldn't decrypt it.
    case undecipherable
    /// It is a collection that nobody unlocked.
    case locked
    /// It is for a part of a registry. podman and skopeo look for it only in their file, and ask helpers for the whole
    /// registry.
    case partOfRegistry
    /// It is a password in a URL, in a setting that isn't supported.
    case inURL
    /// It looks like a secret, in a setting that isn't supported.
    case unknownSetting
  }

  /// Where it was.
  public let origin: Origin
  /// The reason.
  public let reason: Reason

  /// Whether it may be a login that still has to be imported, as opposed to something else, or a deliberate omission.
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

/// The contents of a source, in order.
public struct FoundLogins {
  /// The logins.
  public internal(set) var logins: [FoundLogin] = []
  /// The entries that were skipped.
  public private(set) var passedOver: [PassedOver] = []
  /// Whether the source contains anything else, such as comments or other settings.
  public private(set) var hasOthers = false
  /// Whether a person has added anything else to a program's export, and may expect to have it in the keychain.
  public internal(set) var hasOthersOfPerson = false

  /// Makes an empty result.
  public init() {}

  /// Makes a result that has skipped the lines which can't be read.
  init(malformed lines: [Int]) {
    for line in lines { passOver(.line(line), .malformed) }
  }

  /// How many paths were left out because they are those of pages.
  public internal(set) var pathsLeftOut = 0
  /// Logins for the same place, without anything that says which one is active.
  public internal(set) var keptApart: [KeptApart] = []
  /// The accounts that the source's program uses, where it has several of one place.
  public internal(set) var active: [InternetPassword] = []
  /// The dropped fields, which only the source's program needs.
  public private(set) var bookkeeping: [String] = []

  /// Adds a login.
  public mutating func take(_ login: FoundLogin) {
    logins.append(login)
  }

  /// Adds a login from the taken parts of a tool's file. The rest is left behind. One with a password in an address for
  /// an attribute is skipped: attributes aren't confidential.
  mutating func take(
    _ item: Item, _ credential: consuming Credential, of entry: borrowing SourceEntry
  ) {
    if item.hasPasswordInURL { return passOver(entry.origin, .inURL) }
    take(item, credential, of: entry, page: nil)
  }

  /// Adds a login that is gone with these parts of the file. One without a secret is skipped.
  mutating func take(
    _ item: Item, _ secret: consuming Secret, at origin: Origin, removing removals: Removal...
  ) {
    if secret.isEmpty { return passOver(origin, .noSecret) }
    take(item, Credential(secret), of: SourceEntry(at: origin, removals: removals))
  }

  /// Adds a login from the taken parts of an entry. The rest is left behind. One with an invisible character in its
  /// host is skipped: the host is another than it seems.
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

  /// Sorts the logins in the order in which their items would answer, most recently changed first. The sort is stable.
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
