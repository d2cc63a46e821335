import Bytes
import Keychain

/// The index of a large vault: for each chunk of the plaintext in which a record begins, the first such record.
///
/// The index is one text, a member of the vault's first line: entries `OFFSET SEPARATOR`, joined by `!`, which no key
/// contains. OFFSET counts bytes from the start of the first record. SEPARATOR is as much of the record's key as
/// distinguishes it from the record before: greater than that record's key, and not greater than its own. The first
/// one is empty. Records out of use may share a key; the separator is then the whole key and doesn't distinguish them,
/// so a search begins before every separator that equals its key. A search looks at a few entries only and copies
/// none.
struct VaultIndex {
  private(set) var text: [UInt8] = []

  private static let delimiter = UInt8(ascii: "!")

  init() {}

  /// Takes an index as read. A search detects a malformed one.
  init(_ text: UnsafeRawBufferPointer) {
    self.text = Array(text)
  }

  var isEmpty: Bool { text.isEmpty }

  /// Adds the next chunk's entry. `previous` is the key of the record before; empty for the first.
  mutating func append(offset: Int, key: UnsafeRawBufferPointer, previous: UnsafeRawBufferPointer) {
    if !text.isEmpty { text.append(Self.delimiter) }
    text += String(offset).utf8
    text.append(UInt8(ascii: " "))
    if previous.isEmpty { return }
    var shared = 0
    while shared < key.count, shared < previous.count, key[shared] == previous[shared] { shared += 1 }
    text += key[..<min(shared + 1, key.count)]
  }

  struct Part {
    /// Where its first record begins.
    let lower: Int
    /// The prefix that the first record's key must have.
    let separator: [UInt8]
    /// Where the record after the last one begins; `nil` at the end of all records.
    let upper: Int?
  }

  /// The part with all records whose keys begin with `beginning`. `nil` if this is no index.
  func part(ofKeysBeginningWith beginning: [UInt8]) -> Part? {
    guard text.starts(with: Array("0 ".utf8)), text.count == 2 || text[2] == Self.delimiter else {
      return nil
    }
    // They begin at or after the last smaller entry, because all records before that are smaller, too; and end before
    // the first entry that is greater than all of them.
    let first = firstEntry { !$0.lexicographicallyPrecedes(beginning) }
    let last = firstEntry { beginning.lexicographicallyPrecedes($0) && !$0.starts(with: beginning) }
    let entry = start(ofEntryAt: max(0, first - 1))
    guard let lower = offset(at: entry) else { return nil }
    let separator = Array(self.separator(at: entry))
    if last >= text.count { return Part(lower: lower, separator: separator, upper: nil) }
    guard let upper = offset(at: last), lower < upper else { return nil }
    return Part(lower: lower, separator: separator, upper: upper)
  }

  /// Whether the entries are in order and each leads to a record whose key begins with the separator. The key of the
  /// record before must be smaller, unless both keys equal the separator.
  func leads(through records: UnsafeRawBufferPointer) -> Bool {
    leads { offset, isSeparated in
      guard offset < records.count else { return false }
      let key = UnsafeRawBufferPointer(rebasing: records[offset...]).key
      if offset == 0 { return isSeparated(nil, key) }
      guard records[offset - 1] == 0x0a else { return false }
      var line = offset - 1
      while line > 0, records[line - 1] != 0x0a { line -= 1 }
      return isSeparated(UnsafeRawBufferPointer(rebasing: records[line..<offset]).key, key)
    }
  }

  /// The same for lines, with the `starts` of each.
  func leads(through lines: borrowing VaultLines, at starts: [Int]) -> Bool {
    var position = 0
    return leads { offset, isSeparated in
      while position < starts.count, starts[position] < offset { position += 1 }
      guard position < lines.count, starts[position] == offset else { return false }
      return lines.withLine(position) { line in
        if position == 0 { return isSeparated(nil, line.key) }
        return lines.withLine(position - 1) { isSeparated($0.key, line.key) }
      }
    }
  }

  /// - Parameter record: calls its argument with the keys of the record at an offset and of the one before, and
  ///   returns the result, or `false` if there is no record.
  private func leads(
    _ record: (
      _ offset: Int,
      _ isSeparated: (_ previous: UnsafeRawBufferPointer?, _ key: UnsafeRawBufferPointer) -> Bool
    ) -> Bool
  ) -> Bool {
    var start = 0
    var before = -1
    while start < text.count {
      let separator = separator(at: start)
      guard let offset = offset(at: start), offset > before else { return false }
      let leadsThere = record(offset) { previous, key in
        guard key.starts(with: separator) else { return false }
        guard let previous else { return true }
        let isSameKey = previous.elementsEqual(separator) && key.elementsEqual(separator)
        return isSameKey || previous.lexicographicallyPrecedes(separator)
      }
      if !leadsThere { return false }
      before = offset
      start = separator.endIndex + 1
    }
    return true
  }

  /// The start of the first entry whose separator meets a condition that none before it and all after it meet; the end
  /// of the text if none does.
  private func firstEntry(where condition: (ArraySlice<UInt8>) -> Bool) -> Int {
    var low = 0
    var high = text.count
    while low < high {
      let start = start(ofEntryAt: (low + high) / 2)
      let separator = separator(at: start)
      if condition(separator) { high = start } else { low = separator.endIndex + 1 }
    }
    return min(low, text.count)
  }

  /// The start of the entry with a byte. A delimiter belongs to the entry that it ends.
  private func start(ofEntryAt position: Int) -> Int {
    var start = min(position, text.count - 1)
    while start > 0, text[start - 1] != Self.delimiter { start -= 1 }
    return start
  }

  private func separator(at start: Int) -> ArraySlice<UInt8> {
    var space = start
    while space < text.count, text[space] != UInt8(ascii: " ") { space += 1 }
    var end = space
    while end < text.count, text[end] != Self.delimiter { end += 1 }
    return text[min(space + 1, end)..<end]
  }

  private func offset(at start: Int) -> Int? {
    var offset = 0
    for digit in text[start...] {
      if digit == UInt8(ascii: " ") { return offset }
      guard 0x30...0x39 ~= digit, offset <= VaultBounds.file else { return nil }
      offset = offset * 10 + Int(digit - 0x30)
    }
    return nil
  }
}
