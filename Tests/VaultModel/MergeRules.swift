import Keychain

extension KnownState {
  /// Whether two states of an item, or two items with one key, have equal dates.
  func isEven(with other: KnownState) -> Bool {
    let both = Array(items.values) + Array(other.items.values)
    let byReference = Dictionary(grouping: both) { $0.item.reference }
    let byKey = Dictionary(grouping: both) { $0.item.key.primaryKey }
    return (Array(byReference.values) + Array(byKey.values)).contains { group in
      let different = Set(group)
      return Set(different.map { [$0.date.milliseconds, $0.revision] }).count < different.count
    }
  }

  /// Merges another state into this one (llavero-vault(5), "Merging").
  ///
  /// - Parameters:
  ///   - base: the state that both descend from; `nil` if it is unknown.
  ///   - date: the later of both vaults' dates.
  mutating func merge(_ theirs: KnownState, base: KnownState?, losersRetireAt date: Timestamp) {
    let mine = self
    var retirements: [GoneItem] = []
    var deletions: [ItemReference: Timestamp] = [:]
    for gone in mine.gone + theirs.gone where gone.why == "deleted" {
      guard let reference = gone.was.item.reference else { continue }
      deletions[reference] = max(deletions[reference] ?? gone.retired, gone.retired)
    }
    var survivors: [KnownItem] = []
    for reference in Set(mine.items.keys).union(theirs.items.keys) {
      var versions = [mine.items[reference], theirs.items[reference]].compactMap { $0 }
      let wasInBoth = versions.count == 2
      versions = versions.filter { version in
        let deletion = deletions[reference]
        let isLeft = !wasInBoth && base?.items[reference] == version
        if isLeft || deletion.map({ version.date <= $0 }) ?? false {
          retirements.append(
            GoneItem(was: version, retired: max(deletion ?? version.date, version.date), why: "deleted"))
          return false
        }
        let isMerged = (mine.gone + theirs.gone).contains { gone in
          gone.why == "merged" && gone.was.item.reference == reference && version.isKnown(to: gone.was)
        }
        if isMerged { retirements.append(GoneItem(was: version, retired: date, why: "merged")) }
        return !isMerged
      }
      if versions.count == 2, versions[0] != versions[1] {
        let (result, losers) = Self.combined(versions[0], versions[1], base: base?.items[reference])
        survivors.append(result)
        retirements += losers.map { GoneItem(was: $0, retired: date, why: "merged") }
      } else if let version = versions.first {
        survivors.append(version)
      }
    }
    items = [:]
    for (_, twins) in Dictionary(grouping: survivors, by: { $0.item.key.primaryKey }) {
      let ordered = twins.sorted { left, right in
        (left.changed.secret, left.date, left.revision) < (right.changed.secret, right.date, right.revision)
      }
      for loser in ordered.dropLast() {
        retirements.append(GoneItem(was: loser, retired: date, why: "merged"))
      }
      if let winner = ordered.last, let reference = winner.item.reference { items[reference] = winner }
    }
    for gone in theirs.gone { keep(gone) }
    for gone in retirements {
      let isKnown = (mine.gone + theirs.gone).contains { $0.hasSecret && $0.was == gone.was }
      if !isKnown { keep(gone) }
    }
  }

  /// The result of merging two states of an item, and those that lose something.
  private static func combined(
    _ mine: KnownItem, _ theirs: KnownItem, base: KnownItem?
  ) -> (KnownItem, losers: [KnownItem]) {
    let isMineLater = (mine.date, mine.revision) > (theirs.date, theirs.revision)
    let (later, earlier) = isMineLater ? (mine, theirs) : (theirs, mine)
    var result = later
    var losers: Set<KnownItem> = []
    func settle<Part: Equatable>(
      _ part: (KnownItem) -> Part, _ partDate: WritableKeyPath<KnownItem.PartDates, Timestamp>,
      _ take: (KnownItem) -> Void
    ) {
      let dates = (later.changed[keyPath: partDate], earlier.changed[keyPath: partDate])
      result.changed[keyPath: partDate] = max(dates.0, dates.1)
      if part(later) == part(earlier) { return }
      if let base, (part(later) == part(base)) != (part(earlier) == part(base)) {
        let takesEarlier = part(later) == part(base)
        take(takesEarlier ? earlier : later)
        let (taken, other) = takesEarlier ? (dates.1, dates.0) : (dates.0, dates.1)
        let date = max(taken, Timestamp(milliseconds: other.milliseconds + 1))
        result.changed[keyPath: partDate] = date
        result.item.modificationDate = max(result.date, date)
      } else if dates.0 >= dates.1 {
        losers.insert(earlier)
      } else {
        take(earlier)
        losers.insert(later)
      }
    }
    settle({ $0.item.key }, \.key) { result.item.key = $0.item.key }
    settle({ $0.attributes }, \.attributes) { state in
      var item = state.item
      (item.key, item.reference) = (result.item.key, result.item.reference)
      (item.creationDate, item.modificationDate) = (result.item.creationDate, result.item.modificationDate)
      result.item = item
    }
    settle({ $0.confidential }, \.secret) { result.confidential = $0.confidential }
    for state in [later, earlier] {
      var same = result
      same.revision = state.revision
      same.item.creationDate = state.item.creationDate
      if same == state { return (state, Array(losers)) }
    }
    result.revision = max(later.revision, earlier.revision)
    result.item.creationDate = [later, earlier].compactMap(\.item.creationDate).min()
    return (result, Array(losers))
  }
}

extension KnownItem {
  /// Whether each part is as in another state of the item, or was changed later there.
  fileprivate func isKnown(to other: KnownItem) -> Bool {
    let (own, others) = (changed, other.changed)
    guard own.key <= others.key, own.attributes <= others.attributes, own.secret <= others.secret else {
      return false
    }
    if own != others { return true }
    return item.key == other.item.key && attributes == other.attributes && hasSecretOf(other)
  }
}
