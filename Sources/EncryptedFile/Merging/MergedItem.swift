import Bytes
import JSON
import Keychain

/// A state of an item in one of two copies of a vault that are merged, or what both have become.
final class MergedItem {
  /// Where a record stands.
  enum Place: Hashable {
    case mine(Int)
    case theirs(Int)
    /// Nowhere yet: it is made of both.
    case made
  }

  let place: Place
  let record: Record
  let changed: ChangeDates
  let line: Secret

  /// Reads a record.
  ///
  /// - Throws: ``JSONReader/Malformed`` if it is none.
  init(_ line: UnsafeRawBufferPointer, at place: Place) throws(JSONReader.Malformed) {
    self.place = place
    record = try Record(parsing: line)
    changed = try ChangeDates(of: line, record.item)
    self.line = Secret(copying: line)
  }

  var item: Item { record.item }

  /// What is confidential.
  func credential() throws(JSONReader.Malformed) -> Credential {
    try line.withUnsafeBytes { (line) throws(JSONReader.Malformed) in try Record.credential(parsing: line) }
  }

  /// Whether a state is the later one where the dates of what differs are the same: by its own date, then by the later
  /// write of its copy, then in any fixed order, so that both places decide alike.
  func isLater(than other: MergedItem) -> Bool {
    let left = (other.item.changeDate, other.record.revision)
    let right = (item.changeDate, record.revision)
    if left != right { return left < right }
    return other.line.withUnsafeBytes { left in line.withUnsafeBytes { left.lexicographicallyPrecedes($0) } }
  }

  /// Whether this one keeps a primary key that another item has in the other copy: the later secret does.
  func keepsKey(before other: MergedItem) -> Bool {
    changed.secret == other.changed.secret ? isLater(than: other) : changed.secret > other.changed.secret
  }
}

/// What two states of one item become: of each part the one that was changed last, or, where the state is known that both
/// come from, the one that was changed at all.
struct ItemMerge {
  /// What stays in use.
  private(set) var result: MergedItem
  /// The states of which something is not in the result.
  private(set) var losers: [MergedItem] = []
  /// Whether both had changed the same part in different ways, as far as that can be told.
  private(set) var isUndecided = false

  /// - Parameter base: the state that both come from; `nil` if it isn't known.
  /// - Throws: ``JSONReader/Malformed`` if one of them is no record.
  init(
    _ mine: MergedItem, _ theirs: MergedItem, base: MergedItem?
  ) throws(JSONReader.Malformed) {
    let later = theirs.isLater(than: mine) ? theirs : mine
    let earlier = later === mine ? theirs : mine
    let laterSecret = try later.credential()
    let earlierSecret = try earlier.credential()
    var isAsBase: (later: Bool, earlier: Bool)?
    if let base {
      let secret = try base.credential()
      isAsBase = (laterSecret.isSame(as: secret), earlierSecret.isSame(as: secret))
    }

    let key = Choice(
      isSame: later.item.key == earlier.item.key,
      dates: (later.changed.key, earlier.changed.key),
      isAsBase: base.map { (later.item.key == $0.item.key, earlier.item.key == $0.item.key) })
    let attributes = Choice(
      isSame: later.item.hasSameAttributes(as: earlier.item),
      dates: (later.changed.attributes, earlier.changed.attributes),
      isAsBase: base.map {
        (later.item.hasSameAttributes(as: $0.item), earlier.item.hasSameAttributes(as: $0.item))
      })
    let secret = Choice(
      isSame: laterSecret.isSame(as: earlierSecret),
      dates: (later.changed.secret, earlier.changed.secret), isAsBase: isAsBase)
    let choices = [key, attributes, secret]
    isUndecided = choices.contains { $0.isUndecided }
    for (state, loses) in [
      (later, choices.contains { $0.losesLater }), (earlier, choices.contains { $0.losesEarlier }),
    ] where loses { losers.append(state) }

    var item = attributes.takesLater ? later.item : earlier.item
    item.key = key.takesLater ? later.item.key : earlier.item.key
    item.creationDate = [later.item.creationDate, earlier.item.creationDate].compactMap { $0 }.min()
    item.modificationDate = max(later.item.changeDate, key.date, attributes.date, secret.date)
    var changed = ChangeDates(all: item.changeDate)
    (changed.key, changed.attributes, changed.secret) = (key.date, attributes.date, secret.date)
    // One that is the result as it stands stays as it is, with what only it knows of.
    for state in [later, earlier] {
      var same = item
      same.creationDate = state.item.creationDate
      let hasSecret =
        state === later ? secret.takesLater || secret.isSame : !secret.takesLater || secret.isSame
      if hasSecret, same == state.item, changed == state.changed {
        result = state
        return
      }
    }
    let credential = secret.takesLater ? laterSecret.copy() : earlierSecret.copy()
    let made = try later.line.withUnsafeBytes { (rest) throws(JSONReader.Malformed) in
      try Record.line(
        item, credential, revision: max(later.record.revision, earlier.record.revision), changed: changed,
        previous: rest)
    }
    result = try made.withUnsafeBytes { (line) throws(JSONReader.Malformed) in
      try MergedItem(line, at: .made)
    }
  }
}

/// Which of two states gives a part of the item.
private struct Choice {
  let isSame: Bool
  let takesLater: Bool
  let isUndecided: Bool
  let losesLater: Bool
  let losesEarlier: Bool
  /// The part's date in the result: after that of the state that doesn't give it, so that this can't come back when its
  /// copy is merged again without knowing the base.
  let date: Timestamp

  /// - Parameters:
  ///   - dates: when the part was changed in the state that is the later one as a whole, and in the other.
  ///   - isAsBase: whether it is as before in these; `nil` if that isn't known.
  init(isSame: Bool, dates: (later: Timestamp, earlier: Timestamp), isAsBase: (later: Bool, earlier: Bool)?) {
    self.isSame = isSame
    if let isAsBase, isAsBase.later != isAsBase.earlier {
      takesLater = isAsBase.earlier
      let (taken, other) = takesLater ? (dates.later, dates.earlier) : (dates.earlier, dates.later)
      date = max(taken, Timestamp(milliseconds: other.milliseconds + 1))
      isUndecided = false
      (losesLater, losesEarlier) = (false, false)
      return
    }
    date = max(dates.later, dates.earlier)
    takesLater = dates.later >= dates.earlier
    isUndecided = !isSame && isAsBase != nil
    losesLater = !isSame && !takesLater
    losesEarlier = !isSame && takesLater
  }
}
