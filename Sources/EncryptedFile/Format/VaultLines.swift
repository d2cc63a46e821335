import Bytes
import CLinux
import Glibc
import Keychain

/// A vault's records, or some of them, as sorted lines that can be changed. They are held without LF and the spaces
/// before it, which depend on their position in the text.
struct VaultLines: ~Copyable {
  /// A line's place, in one number, because each inserted line moves those behind it.
  fileprivate struct Line {
    private static let countBits = 28
    /// A line longer than a page has a page of its own, at whose start it is.
    private static let startBits = 20
    /// From the highest bit: whether it was added; its start in the original, or its page and start there; its length.
    private let bits: UInt64

    /// - Parameter page: `nil` for the original text.
    init(page: Int?, start: Int, count: Int) {
      let place = page.map { $0 << Self.startBits | start } ?? start
      precondition(
        count >> Self.countBits == 0 && place >> (63 - Self.countBits) == 0, "no vault is so large")
      bits = UInt64(place << Self.countBits | count) | (page == nil ? 0 : 1 << 63)
    }

    private var place: Int { Int(bits & ~(1 << 63)) >> Self.countBits }
    var count: Int { Int(bits & (1 << Self.countBits - 1)) }
    var page: Int? { bits >> 63 == 1 ? place >> Self.startBits : nil }
    var start: Int { bits >> 63 == 1 ? place & (1 << Self.startBits - 1) : place }
  }

  /// Added lines, in pages: a single text would exist twice whenever it grows.
  private final class Page {
    static let size = 1 << 20
    var text: Secret

    init(isFirst: Bool) { text = Secret(capacity: isFirst ? 0 : Self.size) }
  }

  private let original: Secret
  private var added: [Page] = []
  private var lines: [Line] = []

  init() {
    original = Secret()
  }

  /// Takes the whole lines in `range` of a text, each with its LF.
  ///
  /// - Throws: ``KeychainError/damaged(path:detail:)`` if the range holds anything but records.
  init(_ text: consuming Secret, in range: Range<Int>, path: String) throws(KeychainError) {
    original = text
    lines = try original.withUnsafeBytes { (whole) throws(KeychainError) -> [Line] in
      guard range.upperBound <= whole.count else {
        throw .damaged(path: path, detail: "it holds less than its first line says")
      }
      let bytes = UnsafeRawBufferPointer(rebasing: whole[..<range.upperBound])
      var lines: [Line] = []
      var position = range.lowerBound
      while position < bytes.count {
        guard let base = bytes.baseAddress,
          let end = memchr(base + position, 0x0a, bytes.count - position)
        else { throw .damaged(path: path, detail: "its last line has no end") }
        let next = UnsafeRawPointer(end) - base + 1
        let line = UnsafeRawBufferPointer(rebasing: bytes[position..<next]).content
        guard line.count > Record.opening.utf8CodeUnitCount,
          memcmp(base + position, Record.opening.utf8Start, Record.opening.utf8CodeUnitCount) == 0
        else { throw .damaged(path: path, detail: "something in it is no item") }
        if let before = lines.last {
          // A search among unsorted lines would miss some.
          let previous = UnsafeRawBufferPointer(rebasing: bytes[before.start..<before.start + before.count])
          guard Self.precedes(previous, line) else {
            throw .damaged(path: path, detail: "its items are out of order")
          }
        }
        lines.append(Line(page: nil, start: position, count: line.count))
        position = next
      }
      return lines
    }
  }

  var count: Int { lines.count }

  var byteCount: Int { lines.reduce(0) { $0 + $1.count + 1 } }

  borrowing func withLine<Result: ~Copyable, Failure: Error>(
    _ index: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withBytes(of: lines[index], body)
  }

  private borrowing func withBytes<Result: ~Copyable, Failure: Error>(
    of line: Line, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    func lend(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> Result {
      try body(UnsafeRawBufferPointer(rebasing: bytes[line.start..<line.start + line.count]))
    }
    if let page = line.page { return try added[page].text.withUnsafeBytes(lend) }
    return try original.withUnsafeBytes(lend)
  }

  borrowing func lines(beginning: [UInt8]) -> Range<Int> {
    let lower = partition { !Self.key(of: $0, precedes: beginning, orBeginsWithIt: false) }
    // Usually there is none: a search precedes the insertion of a new item.
    let hasAny =
      lower < count && withLine(lower) { Self.key(of: $0, precedes: beginning, orBeginsWithIt: true) }
    if !hasAny { return lower..<lower }
    let upper = partition { !Self.key(of: $0, precedes: beginning, orBeginsWithIt: true) }
    return lower..<upper
  }

  /// The records in use, which come before those out of use.
  var inUse: Range<Int> {
    let prefix = Array(RetiredRecord.keyPrefix.utf8)
    return 0..<partition { !Self.key(of: $0, precedes: prefix, orBeginsWithIt: false) }
  }

  borrowing func haveSameKey(_ one: Int, _ other: Int) -> Bool {
    withLine(one) { one in
      withLine(other) { other in one.key.equals(other.key) }
    }
  }

  /// The index of the item with `item.reference`, also under another key while that is changed; `nil` if it is gone.
  ///
  /// - Throws: ``KeychainError/damaged(path:detail:)`` if a line on the way is not a record.
  borrowing func index(of item: Item, path: String) throws(KeychainError) -> Int? {
    guard let reference = item.reference else { return nil }
    let key = SortKey.whole(of: item.key)
    let usualBeginning = Record.beginning(key, reference)
    for index in lines(beginning: key) {
      if withLine(index, { $0.starts(with: usualBeginning) }) { return index }
      if try record(at: index, path: path).item.reference == reference { return index }
    }
    for index in inUse {
      let mayBe = withLine(index) { line in
        reference.bytes.bytes.withUnsafeBytes { name in
          clinux_contains(line.baseAddress, line.count, name.baseAddress, name.count)
        }
      }
      if mayBe, try record(at: index, path: path).item.reference == reference { return index }
    }
    return nil
  }

  /// - Throws: ``KeychainError/damaged(path:detail:)``.
  borrowing func record(at index: Int, path: String) throws(KeychainError) -> Record {
    try withLine(index) { (line) throws(KeychainError) in
      do throws(JSONReader.Malformed) {
        return try Record(parsing: line)
      } catch {
        throw .malformedItem(path: path)
      }
    }
  }

  /// - Throws: ``KeychainError/damaged(path:detail:)``.
  borrowing func retiredRecord(at index: Int, path: String) throws(KeychainError) -> RetiredRecord {
    try withLine(index) { (line) throws(KeychainError) in
      do throws(JSONReader.Malformed) {
        return try RetiredRecord(parsing: line)
      } catch {
        throw .malformedItem(path: path)
      }
    }
  }

  /// - Throws: ``KeychainError/damaged(path:detail:)``.
  borrowing func changeDates(at index: Int, of item: Item, path: String) throws(KeychainError) -> ChangeDates
  {
    try withLine(index) { (line) throws(KeychainError) in
      do throws(JSONReader.Malformed) {
        return try ChangeDates(of: line, item)
      } catch {
        throw .malformedItem(path: path)
      }
    }
  }

  /// - Throws: ``KeychainError/damaged(path:detail:)``.
  borrowing func credential(at index: Int, path: String) throws(KeychainError) -> Credential {
    try withLine(index) { (line) throws(KeychainError) in
      do throws(JSONReader.Malformed) {
        return try Record.credential(parsing: line)
      } catch {
        throw .malformedItem(path: path)
      }
    }
  }

  /// A state to go back to. Later lines stay in memory, unused.
  struct Savepoint {
    fileprivate let lines: [Line]
  }

  var savepoint: Savepoint { Savepoint(lines: lines) }

  borrowing func areSame(as savepoint: Savepoint) -> Bool {
    if count != savepoint.lines.count { return false }
    for index in 0..<count {
      let isSame = withLine(index) { line in
        withBytes(of: savepoint.lines[index]) { $0.equals(line) }
      }
      if !isSame { return false }
    }
    return true
  }

  mutating func restore(_ savepoint: Savepoint) {
    lines = savepoint.lines
  }

  /// Inserts a line at its sorted place. Returns `false` if it is there already.
  @discardableResult
  mutating func insert(_ line: borrowing Secret) -> Bool {
    let position = line.withUnsafeBytes { new in
      partition { other in !Self.precedes(other, new) }
    }
    if position < count, withLine(position, { line.isEqual(to: $0) }) { return false }
    let fitting = added.last.flatMap { $0.text.count + line.count <= Page.size ? $0 : nil }
    let page = fitting ?? Page(isFirst: added.isEmpty)
    if page !== added.last { added.append(page) }
    let start = page.text.count
    page.text.append(line)
    lines.insert(Line(page: added.count - 1, start: start, count: line.count), at: position)
    return true
  }

  borrowing func contains(_ line: UnsafeRawBufferPointer) -> Bool {
    let position = partition { other in !Self.precedes(other, line) }
    guard position < count else { return false }
    return withLine(position) { $0.equals(line) }
  }

  mutating func remove(_ index: Int) {
    lines.remove(at: index)
  }

  /// The first line for which `predicate` holds, if it holds for no line before and all lines after it.
  private borrowing func partition(_ predicate: (UnsafeRawBufferPointer) -> Bool) -> Int {
    var low = 0
    var high = lines.count
    while low < high {
      let middle = (low + high) / 2
      if withLine(middle, predicate) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  private static func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard let first = left.baseAddress, let second = right.baseAddress else {
      return left.count < right.count
    }
    let order = memcmp(first, second, min(left.count, right.count))
    return order != 0 ? order < 0 : left.count < right.count
  }

  private static func key(
    of line: UnsafeRawBufferPointer, precedes beginning: [UInt8], orBeginsWithIt: Bool
  ) -> Bool {
    let opening = Record.opening.utf8CodeUnitCount
    guard line.count > opening else { return true }
    let key = UnsafeRawBufferPointer(rebasing: line[opening...])
    return beginning.withUnsafeBytes { beginning in
      let shared = UnsafeRawBufferPointer(rebasing: key.prefix(beginning.count))
      if precedes(shared, beginning) { return true }
      return orBeginsWithIt && !precedes(beginning, shared)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// A line without its LF and the spaces before it.
  var content: UnsafeRawBufferPointer {
    var end = count
    if end > 0, self[end - 1] == 0x0a { end -= 1 }
    while end > 0, self[end - 1] == 0x20 { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: self[..<end])
  }
}

extension KeychainError {
  static func malformedItem(path: String) -> KeychainError {
    .damaged(path: path, detail: "one of its items is malformed")
  }
}

extension Secret {
  fileprivate borrowing func isEqual(to bytes: UnsafeRawBufferPointer) -> Bool {
    withUnsafeBytes { $0.equals(bytes) }
  }
}
