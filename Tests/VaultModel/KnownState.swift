import Keychain

/// An item with its secret, as the model knows it.
struct KnownItem: Hashable {
  /// The item with the reference that the vault gave it.
  var item: Item
  var secret: [UInt8]
  var expiry: Int64?
  var refreshToken: [UInt8]?
  var scheme: ByteString?
  /// The generation of the vault in which it was last changed.
  var revision: Int64
  /// The times when its key, its other attributes and its secret were last changed.
  var changed: PartDates

  struct PartDates: Hashable {
    var key: Timestamp
    var attributes: Timestamp
    var secret: Timestamp

    init(all date: Timestamp) { (key, attributes, secret) = (date, date, date) }
  }

  init(_ item: Item, _ credential: borrowing Credential, revision: Int64, changed: PartDates) {
    self.item = item
    secret = credential.secret.withUnsafeBytes { Array($0) }
    expiry = credential.expiry
    refreshToken = Self.bytes(credential)
    scheme = credential.authenticationScheme
    self.revision = revision
    self.changed = changed
  }

  private static func bytes(_ credential: borrowing Credential) -> [UInt8]? {
    switch credential.refreshToken {
    case .none: nil
    case .some(let secret): secret.withUnsafeBytes { Array($0) }
    }
  }

  var credential: Credential {
    Credential(
      Secret(secret), expiry: expiry, refreshToken: refreshToken.map { Secret($0) },
      authenticationScheme: scheme)
  }

  var date: Timestamp { item.modificationDate ?? item.creationDate ?? Timestamp(milliseconds: 0) }

  var hasSecretOf: (KnownItem) -> Bool {
    { other in
      secret == other.secret && expiry == other.expiry && refreshToken == other.refreshToken
        && scheme == other.scheme
    }
  }

  /// The attributes that are not part of the key.
  var attributes: Item {
    var bare = item
    bare.key = .genericPassword(GenericPassword(service: ""))
    (bare.creationDate, bare.modificationDate, bare.reference) = (nil, nil, nil)
    return bare
  }

  /// Whether replacing it with `newer` loses something (llavero-vault(5), "Records out of use").
  func isWorthKeeping(besides newer: KnownItem, at now: Timestamp) -> Bool {
    if secret == newer.secret, scheme == newer.scheme, refreshToken == newer.refreshToken { return false }
    let isExpired = expiry.map { $0 <= now.seconds } ?? false
    return !isExpired || (refreshToken != nil && refreshToken != newer.refreshToken)
  }
}

/// An item that is out of use.
struct GoneItem: Hashable {
  var was: KnownItem
  let retired: Timestamp
  let why: String
  /// Whether its secret is still in the vault.
  var hasSecret = true

  /// What is left without its confidential parts.
  var mark: GoneItem {
    var mark = self
    mark.hasSecret = false
    (mark.was.secret, mark.was.expiry, mark.was.refreshToken, mark.was.scheme) = ([], nil, nil, nil)
    var item = Item(was.item.key)
    item.reference = was.item.reference
    mark.was.item = item
    mark.was.changed = .init(all: Timestamp(milliseconds: 0))
    return mark
  }
}

/// The contents of a vault.
struct KnownState: Hashable {
  var items: [ItemReference: KnownItem] = [:]
  var gone: [GoneItem] = []

  static let day: Int64 = 86_400_000

  /// Forgets what a write at `now` forgets if the one before was no earlier.
  mutating func forgetExpired(at now: Timestamp) {
    replaceGone { item in
      let age = now.milliseconds - item.retired.milliseconds
      if age <= 30 * Self.day { return item }
      return item.why == "deleted" && age <= 180 * Self.day ? item.mark : nil
    }
  }

  /// Replaces or removes each item out of use. Duplicates are removed.
  mutating func replaceGone(_ replacement: (GoneItem) -> GoneItem?) {
    let all = gone.compactMap(replacement)
    gone = []
    for item in all where !gone.contains(item) { gone.append(item) }
  }

  /// Takes an item out of use; the newest 20 of each key stay complete.
  mutating func retire(_ item: KnownItem, at date: Timestamp, _ why: String) {
    keep(GoneItem(was: item, retired: date, why: why))
  }

  mutating func keep(_ new: GoneItem) {
    if gone.contains(new) { return }
    gone.append(new)
    let key = new.was.item.key.primaryKey
    func oldest(hasSecret: Bool, beyond limit: Int) -> Int? {
      let same = gone.indices.filter {
        gone[$0].was.item.key.primaryKey == key && gone[$0].hasSecret == hasSecret
      }
      if same.count <= limit { return nil }
      return same.min {
        (gone[$0].retired, gone[$0].was.revision) < (gone[$1].retired, gone[$1].was.revision)
      }
    }
    if let oldest = oldest(hasSecret: true, beyond: 20) {
      let item = gone.remove(at: oldest)
      if item.why == "deleted", !gone.contains(item.mark) { gone.append(item.mark) }
    }
    if let oldest = oldest(hasSecret: false, beyond: 200) { gone.remove(at: oldest) }
  }
}

extension Secret {
  init(_ bytes: [UInt8]) { self.init(copying: ByteString(bytes)) }
}
