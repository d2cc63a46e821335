import Bytes
import Keychain

/// An item's state in one of two copies that are being merged, or the result of merging both.
final class MergedItem {
  enum Place: Hashable {
    case mine(Int)
    case theirs(Int)
    /// In no copy yet: the record is made of both.
    case made
  }

  let place: Place
  let record: Record
  let changed: ChangeDates
  let line: Secret

  /// - Parameter keyPrefix: the text before the key, if the record is out of use.
  /// - Throws: ``JSONReader/Malformed`` if the line is not a record.
  init(
    _ line: UnsafeRawBufferPointer, at place: Place, keyPrefix: String = ""
  ) throws(JSONReader.Malformed) {
    self.place = place
    record = try Record(parsing: line, keyPrefix: keyPrefix)
    changed = try ChangeDates(of: line, record.item)
    self.line = Secret(copying: line)
  }

  var item: Item { record.item }

  func credential() throws(JSONReader.Malformed) -> Credential {
    try line.withUnsafeBytes { (line) throws(JSONReader.Malformed) in try Record.credential(parsing: line) }
  }

  /// Whether this state is later if the dates of the differing parts are equal: by its own date, then by the
  /// generation of its last write, then in an arbitrary fixed order, so that both places decide alike.
  func isLater(than other: MergedItem) -> Bool {
    let left = (other.item.changeDate, other.record.revision)
    let right = (item.changeDate, record.revision)
    if left != right { return left < right }
    return other.line.withUnsafeBytes { left in line.withUnsafeBytes { left.lexicographicallyPrecedes($0) } }
  }

  /// Whether each part of another state is the same as here, or was changed later.
  ///
  /// - Throws: ``JSONReader/Malformed`` if one of them has no secret.
  func isKnown(to other: MergedItem) throws(JSONReader.Malformed) -> Bool {
    let (own, others) = (changed, other.changed)
    guard own.key <= others.key, own.attributes <= others.attributes, own.secret <= others.secret,
      own.further <= others.further
    else { return false }
    // With equal dates, neither is later.
    if own != others { return true }
    let secret = try other.credential()
    guard try credential().isSame(as: secret) else { return false }
    return item.key == other.item.key && item.hasSameNotes(as: other.item)
  }

  /// Whether this item keeps a primary key that another item has in the other copy: the later secret wins.
  func keepsKey(before other: MergedItem) -> Bool {
    changed.secret == other.changed.secret ? isLater(than: other) : changed.secret > other.changed.secret
  }
}

/// The merge of two states of one item: each part is taken from the state that changed it last or, if the common
/// ancestor is known, from the one that changed it at all.
struct ItemMerge {
  private(set) var result: MergedItem
  /// The states with parts that the result lacks.
  private(set) var losers: [MergedItem] = []
  /// Whether both are known to have changed the same part in different ways.
  private(set) var isUndecided = false

  /// - Parameter base: the common ancestor; `nil` if unknown.
  /// - Throws: ``JSONReader/Malformed`` if one of them is not a record.
  init(
    _ mine: MergedItem, _ theirs: MergedItem, base: MergedItem?
  ) throws(JSONReader.Malformed) {
    let later = theirs.isLater(than: mine) ? theirs : mine
    let earlier = later === mine ? theirs : mine
    let laterSecret = try later.credential()
    let earlierSecret = try earlier.credential()
    var isAsBase: (later: Bool, earlier: Bool)?
    var isFurtherAsBase: (later: Bool, earlier: Bool)?
    if let base {
      let secret = try base.credential()
      isAsBase = (laterSecret.isSameForTools(as: secret), earlierSecret.isSameForTools(as: secret))
      isFurtherAsBase = (
        laterSecret.further.isSame(as: secret.further), earlierSecret.further.isSame(as: secret.further)
      )
    }

    let key = Choice(
      isSame: later.item.key == earlier.item.key,
      dates: (later.changed.key, earlier.changed.key),
      isAsBase: base.map { (later.item.key == $0.item.key, earlier.item.key == $0.item.key) })
    let attributes = Choice(
      isSame: later.item.hasSameNotes(as: earlier.item),
      dates: (later.changed.attributes, earlier.changed.attributes),
      isAsBase: base.map {
        (later.item.hasSameNotes(as: $0.item), earlier.item.hasSameNotes(as: $0.item))
      })
    let secret = Choice(
      isSame: laterSecret.isSameForTools(as: earlierSecret),
      dates: (later.changed.secret, earlier.changed.secret), isAsBase: isAsBase)
    // A one-time code added on one machine stays while another changes the password.
    let further = Choice(
      isSame: laterSecret.further.isSame(as: earlierSecret.further),
      dates: (later.changed.further, earlier.changed.further), isAsBase: isFurtherAsBase)
    let choices = [key, attributes, secret, further]
    isUndecided = choices.contains { $0.isUndecided }
    for (state, loses) in [
      (later, choices.contains { $0.losesLater }), (earlier, choices.contains { $0.losesEarlier }),
    ] where loses { losers.append(state) }

    var item = attributes.takesLater ? later.item : earlier.item
    item.key = key.takesLater ? later.item.key : earlier.item.key
    item.creationDate = [later.item.creationDate, earlier.item.creationDate].compactMap { $0 }.min()
    item.modificationDate = max(
      later.item.changeDate, key.date, attributes.date, secret.date, further.date)
    var changed = ChangeDates(all: item.changeDate)
    (changed.key, changed.attributes, changed.secret, changed.further) = (
      key.date, attributes.date, secret.date, further.date
    )
    // A state that equals the result is kept as it is, including members that only it has.
    for state in [later, earlier] {
      var same = item
      same.creationDate = state.item.creationDate
      let hasSecret = [secret, further].allSatisfy { $0.isSame || $0.takesLater == (state === later) }
      if hasSecret, same == state.item, changed == state.changed {
        result = state
        return
      }
    }
    var credential = secret.takesLater ? laterSecret.copy() : earlierSecret.copy()
    credential.further = further.takesLater ? laterSecret.further.copy() : earlierSecret.further.copy()
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

/// The state that provides a part of the item.
private struct Choice {
  let isSame: Bool
  let takesLater: Bool
  let isUndecided: Bool
  let losesLater: Bool
  let losesEarlier: Bool
  /// The part's date in the result: later than in the other state, so that this one doesn't win when its copy is
  /// merged again without knowing the base.
  let date: Timestamp

  /// - Parameters:
  ///   - dates: when the part was changed in the state that is later as a whole, and in the other.
  ///   - isAsBase: whether each has the part as in the base; `nil` if unknown.
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
