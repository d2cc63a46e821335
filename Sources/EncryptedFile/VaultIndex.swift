/// Where to look in a large vault: for each chunk of the plaintext in which a record begins, the first such record.
///
/// It is one text, a member of the vault's first line: entries `OFFSET SEPARATOR`, joined by `!`, which no key
/// holds. OFFSET counts the bytes from the first record's start. SEPARATOR is as much of the record's key as tells
/// it from the record before: greater than that one's key, and not greater than its own; the first one's is empty.
/// A search looks at a few entries only and copies none of them.
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

  /// Where the records are whose keys begin with `beginning`: from the start of a record to the start of another,
  /// or to the end of all where there is no upper bound. `nil` if this is no index.
  func range(ofKeysBeginningWith beginning: [UInt8]) -> (lower: Int, upper: Int?)? {
    // They begin not before the last entry that isn't greater, and not behind the first that is greater than all.
    let first = firstEntry { beginning.lexicographicallyPrecedes($0) }
    let last = firstEntry { beginning.lexicographicallyPrecedes($0) && !$0.starts(with: beginning) }
    guard let lower = offset(at: start(ofEntryAt: max(0, first - 1))) else { return nil }
    if last >= text.count { return (lower, nil) }
    guard let upper = offset(at: last) else { return nil }
    return (lower, upper)
  }

  /// Where the first entry begins whose separator meets a condition that none before and all after it do; behind
  /// the text if there is none.
  private func firstEntry(where condition: (ArraySlice<UInt8>) -> Bool) -> Int {
    var low = 0
    var high = text.count
    while low < high {
      let start = start(ofEntryAt: (low + high) / 2)
      var space = start
      while space < text.count, text[space] != UInt8(ascii: " ") { space += 1 }
      var end = space
      while end < text.count, text[end] != Self.delimiter { end += 1 }
      if condition(text[min(space + 1, end)..<end]) { high = start } else { low = end + 1 }
    }
    return min(low, text.count)
  }

  /// The start of the entry that a byte is of. A delimiter belongs to the entry that it ends.
  private func start(ofEntryAt position: Int) -> Int {
    var start = min(position, text.count - 1)
    while start > 0, text[start - 1] != Self.delimiter { start -= 1 }
    return start
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
