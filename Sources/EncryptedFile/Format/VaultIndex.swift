import Bytes
import Keychain

/// Where to look in a large vault: for each chunk of the plaintext in which a record begins, the first such record.
///
/// It is one text, a member of the vault's first line: entries `OFFSET SEPARATOR`, joined by `!`, which no key
/// holds. OFFSET counts the bytes from the first record's start. SEPARATOR is as much of the record's key as tells
/// it from the record before: greater than that one's key, and not greater than its own; the first one's is empty.
/// Records that are out of use may share a key, and then it is the whole key, and nothing tells them apart: so a search
/// begins before every separator that equals what is looked for. It looks at a few entries only and copies none of
/// them.
struct VaultIndex {
  /// The text.
  private(set) var text: [UInt8] = []

  private static let delimiter = UInt8(ascii: "!")

  /// An index without entries.
  init() {}

  /// Takes an index that was read. Whether it is one shows when it is searched.
  init(_ text: UnsafeRawBufferPointer) {
    self.text = Array(text)
  }

  var isEmpty: Bool { text.isEmpty }

  /// Adds the entry of the next chunk.
  ///
  /// - Parameter key: the record's key.
  /// - Parameter previous: the key of the record before it; empty for the first.
  mutating func append(offset: Int, key: UnsafeRawBufferPointer, previous: UnsafeRawBufferPointer) {
    if !text.isEmpty { text.append(Self.delimiter) }
    text += String(offset).utf8
    text.append(UInt8(ascii: " "))
    if previous.isEmpty { return }
    var shared = 0
    while shared < key.count, shared < previous.count, key[shared] == previous[shared] { shared += 1 }
    text += key[..<min(shared + 1, key.count)]
  }

  /// A part of the records, found by the index.
  struct Part {
    /// Where its first record begins.
    let lower: Int
    /// What the first record's key begins with.
    let separator: [UInt8]
    /// Where the record behind its last one begins; `nil` for the end of all.
    let upper: Int?
  }

  /// The part of the records among which those are whose keys begin with `beginning`. `nil` if this is no index.
  func part(ofKeysBeginningWith beginning: [UInt8]) -> Part? {
    guard text.starts(with: Array("0 ".utf8)), text.count == 2 || text[2] == Self.delimiter else {
      return nil
    }
    // They begin not before the last entry that is smaller, for all before that one's record is smaller, too; and not
    // behind the first that is greater than all.
    let first = firstEntry { !$0.lexicographicallyPrecedes(beginning) }
    let last = firstEntry { beginning.lexicographicallyPrecedes($0) && !$0.starts(with: beginning) }
    let entry = start(ofEntryAt: max(0, first - 1))
    guard let lower = offset(at: entry) else { return nil }
    let separator = Array(self.separator(at: entry))
    if last >= text.count { return Part(lower: lower, separator: separator, upper: nil) }
    guard let upper = offset(at: last), lower < upper else { return nil }
    return Part(lower: lower, separator: separator, upper: upper)
  }

  /// Whether each entry leads to a record among these whose key begins with its separator, while the key of the
  /// record before is smaller, or both are the separator, and the entries stand in order.
  func leads(through records: UnsafeRawBufferPointer) -> Bool {
    var start = 0
    var before = -1
    while start < text.count {
      let separator = separator(at: start)
      guard let offset = offset(at: start), offset > before, offset < records.count else { return false }
      let record = UnsafeRawBufferPointer(rebasing: records[offset...])
      guard record.key.starts(with: separator) else { return false }
      if offset > 0 {
        guard records[offset - 1] == 0x0a else { return false }
        var line = offset - 1
        while line > 0, records[line - 1] != 0x0a { line -= 1 }
        let previous = UnsafeRawBufferPointer(rebasing: records[line..<offset]).key
        let isSameKey = previous.elementsEqual(separator) && record.key.elementsEqual(separator)
        guard isSameKey || previous.lexicographicallyPrecedes(separator) else { return false }
      }
      before = offset
      start = separator.endIndex + 1
    }
    return true
  }

  /// Where the first entry begins whose separator meets a condition that none before and all after it do; behind
  /// the text if there is none.
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

  /// The start of the entry that a byte is of. A delimiter belongs to the entry that it ends.
  private func start(ofEntryAt position: Int) -> Int {
    var start = min(position, text.count - 1)
    while start > 0, text[start - 1] != Self.delimiter { start -= 1 }
    return start
  }

  /// The separator of the entry that begins at `start`.
  private func separator(at start: Int) -> ArraySlice<UInt8> {
    var space = start
    while space < text.count, text[space] != UInt8(ascii: " ") { space += 1 }
    var end = space
    while end < text.count, text[end] != Self.delimiter { end += 1 }
    return text[min(space + 1, end)..<end]
  }

  /// The offset of the entry that begins at `start`.
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
