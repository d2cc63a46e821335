import Keychain
import TestSupport

/// An item with its secret, as the model knows it.
struct KnownItem: Hashable {
  /// The item with the reference that the vault gave it.
  var item: Item
  /// The secret, and what came with it.
  var confidential: RevealedCredential
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
    confidential = credential.revealed
    self.revision = revision
    self.changed = changed
  }

  /// Hashes what tells most apart. Each byte of a large secret by itself would take a sixth of the model's time.
  func hash(into hasher: inout Hasher) {
    hasher.combine(item)
    hasher.combine(revision)
    hasher.combine(changed)
    confidential.secret.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }

  var credential: Credential {
    .bytes(
      confidential.secret.bytes, expiry: confidential.expiry,
      refreshToken: confidential.refreshToken?.bytes, scheme: confidential.scheme)
  }

  var date: Timestamp { item.modificationDate ?? item.creationDate ?? Timestamp(milliseconds: 0) }

  func hasSecretOf(_ other: KnownItem) -> Bool { confidential == other.confidential }

  /// The attributes that are not part of the key.
  var attributes: Item {
    var bare = item
    bare.key = .genericPassword(GenericPassword(service: ""))
    (bare.creationDate, bare.modificationDate, bare.reference) = (nil, nil, nil)
    return bare
  }

  /// Whether replacing it with `newer` loses something (llavero-vault(5), "Records out of use").
  func isWorthKeeping(besides newer: KnownItem, at now: Timestamp) -> Bool {
    let (own, newer) = (confidential, newer.confidential)
    if own.secret == newer.secret, own.scheme == newer.scheme, own.refreshToken == newer.refreshToken {
      return false
    }
    let isExpired = own.expiry.map { $0 <= now.seconds } ?? false
    return !isExpired || (own.refreshToken != nil && own.refreshToken != newer.refreshToken)
  }
}

/// An item that is out of use.
struct GoneItem: Hashable {
  var was: KnownItem
  let retired: Timestamp
  let why: String
  /// Whether its secret is still in the vault.
  var hasSecret = true

  /// What it was, whenever and for whatever reason it went out of use.
  struct Former: Hashable {
    let was: KnownItem
    let hasSecret: Bool
  }

  var former: Former { Former(was: was, hasSecret: hasSecret) }

  /// Whether this says more than another of the same item (llavero-vault(5), "Records out of use").
  func saysMore(than other: GoneItem) -> Bool {
    if why != other.why { return why == "deleted" || other.why == "merged" }
    return why == "merged" ? retired < other.retired : retired > other.retired
  }

  /// What is left without its confidential parts.
  var mark: GoneItem {
    var mark = self
    mark.hasSecret = false
    mark.was.confidential = RevealedCredential("")
    var item = Item(was.item.key)
    item.reference = was.item.reference
    mark.was.item = item
    mark.was.changed = .init(all: Timestamp(milliseconds: 0))
    return mark
  }
}

/// What an item has to keep, whatever its attributes are.
private struct KnownSecret: Hashable {
  let reference: ItemReference?
  var confidential: RevealedCredential

  init(_ item: KnownItem) {
    (reference, confidential) = (item.item.reference, item.confidential)
    confidential.expiry = nil
  }
}

/// The contents of a vault.
struct KnownState: Hashable {
  var items: [ItemReference: KnownItem] = [:]
  var gone: [GoneItem] = []

  static let day: Int64 = 86_400_000

  /// Leaves of what is out of use what a write at `now` leaves if the one before was no earlier.
  mutating func settle(at now: Timestamp) {
    keepEachOnce()
    replaceGone { item in
      let age = now.milliseconds - item.retired.milliseconds
      if age <= 30 * Self.day { return item }
      return item.why == "deleted" && age <= 180 * Self.day ? item.mark : nil
    }
    let secrets = surplus(hasSecret: true, beyond: 20)
    replaceGone { item in
      if !secrets.contains(item) { return item }
      return item.why == "deleted" ? item.mark : nil
    }
    keepEachOnce()
    let marks = surplus(hasSecret: false, beyond: 200)
    replaceGone { marks.contains($0) ? nil : $0 }
  }

  /// Of items that differ only in when and why they went out of use, leaves the one that says most.
  private mutating func keepEachOnce() {
    var best: [GoneItem.Former: GoneItem] = [:]
    for item in gone {
      if let other = best[item.former], !item.saysMore(than: other) { continue }
      best[item.former] = item
    }
    replaceGone { best[$0.former] == $0 ? $0 : nil }
  }

  /// Of each key what is too much: first those whose secret the item has in a newer one, too, then the oldest.
  private func surplus(hasSecret: Bool, beyond limit: Int) -> Set<GoneItem> {
    var surplus: Set<GoneItem> = []
    let alike = gone.filter { $0.hasSecret == hasSecret }
    for (_, group) in Dictionary(grouping: alike, by: { $0.was.item.key.primaryKey })
    where group.count > limit {
      var seen: Set<KnownSecret> = []
      var (first, last): ([GoneItem], [GoneItem]) = ([], [])
      for item in group.sorted(by: { ($0.retired, $0.was.revision) > ($1.retired, $1.was.revision) }) {
        if seen.insert(KnownSecret(item.was)).inserted { first.append(item) } else { last.append(item) }
      }
      surplus.formUnion((first + last).dropFirst(limit))
    }
    return surplus
  }

  /// Replaces or removes each item out of use. Duplicates are removed.
  mutating func replaceGone(_ replacement: (GoneItem) -> GoneItem?) {
    let all = gone.compactMap(replacement)
    gone = []
    for item in all where !gone.contains(item) { gone.append(item) }
  }

  /// Takes an item out of use.
  mutating func retire(_ item: KnownItem, at date: Timestamp, _ why: String) {
    keep(GoneItem(was: item, retired: date, why: why))
  }

  mutating func keep(_ new: GoneItem) {
    if !gone.contains(new) { gone.append(new) }
  }
}

extension Secret {
  init(_ bytes: [UInt8]) { self.init(copying: ByteString(bytes)) }
}
