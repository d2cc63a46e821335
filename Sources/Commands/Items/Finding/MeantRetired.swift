import Bytes
import Interchange
import Keychain

/// The deleted and replaced items that are meant: those of a place, or with such a name.
struct MeantRetired {
  let items: [Retired]
  /// The place, if it is meant.
  let place: NamedPlace?
  /// Whether the text is only part of their names.
  let isPart: Bool

  /// - Parameters:
  ///   - named: what was typed; `nil` for everything.
  ///   - mayGuess: whether somebody is there, for whom part of a name is enough.
  ///   - hasOwnLabels: whether the labels are this person's; those in a shared keychain are anybody's.
  ///   - all: finds what a query matches.
  /// - Throws: ``KeychainError`` for a reference that can't be understood, and any error of `all`.
  init(
    _ named: NamedPlace?, mayGuess: Bool, hasOwnLabels: Bool,
    _ all: (ItemQuery) throws(KeychainError) -> [Retired]
  ) throws(KeychainError) {
    guard var named else {
      self.init(try all(.all))
      return
    }
    if let reference = try named.url.flatMap({ (url) throws(KeychainError) in try NamedPlace(reference: url) }
    ) {
      named = try reference.with(account: named.account)
    }
    if named.isPlace {
      let found = try all(try named.query())
      if !found.isEmpty {
        // Where a service has the same name, nothing is taken for the other.
        let services = try Self.services(called: named, all)
        if services.isEmpty { self.init(found, at: named) } else { self.init(found + services) }
        return
      }
    }
    guard let text = named.url, named.domain == nil else {
      self.init([])
      return
    }
    // A script that names a host never means a label.
    if !mayGuess, ByteString(text).isAddressOfServer {
      self.init([])
      return
    }
    let candidates = try all(.all).filter { retired in
      named.account.map { retired.item.key.account == ByteString($0) } ?? true
    }
    let called = candidates.filter {
      mayGuess || hasOwnLabels ? $0.item.isCalled(text) : $0.item.key.place == text
    }
    if !called.isEmpty || !mayGuess {
      self.init(called)
    } else {
      self.init(candidates.filter { $0.item.isCalled(byPart: text) }, isPart: true)
    }
  }

  private static func services(
    called named: NamedPlace, _ all: (ItemQuery) throws(KeychainError) -> [Retired]
  ) throws(KeychainError) -> [Retired] {
    guard let text = named.url.map({ ByteString($0) }), named.domain == nil, !text.isAddressOfServer else {
      return []
    }
    let account = named.account.map { ByteString($0) }
    return try all(.genericPassword(try GenericPasswordQuery(service: text))).filter {
      account == nil || $0.item.key.account == account
    }
  }

  private init(_ items: [Retired], at place: NamedPlace? = nil, isPart: Bool = false) {
    (self.items, self.place, self.isPart) = (items, place, isPart)
  }
}
