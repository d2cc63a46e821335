import Bytes
import Keychain
import Properties

@testable import EncryptedFile

/// The properties of any bytes as a vault's records, and of any items in a vault's text.
enum VaultTextProperty: Property {
  static func check(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    try checkReading(input)
    try checkItems(input)
  }

  // MARK: Any bytes

  /// Lines that are accepted as records are sorted, begin as records do, and are found by their beginning.
  private static func checkReading(_ text: UnsafeRawBufferPointer) throws(PropertyFailure) {
    guard let lines = try lines(of: text) else { return }
    let expected = text.split(separator: 0x0a).map { line in
      line.last == 0x20 ? Array(line.prefix(upTo: (line.lastIndex { $0 != 0x20 } ?? 0) + 1)) : Array(line)
    }
    try require(lines.count == expected.count, "all lines are taken")
    try require(lines.byteCount == expected.reduce(0) { $0 + $1.count + 1 }, "without what fills them up")
    for (index, line) in expected.enumerated() {
      try require(lines.withLine(index) { $0.elementsEqual(line) }, "a line is as it stands")
      if index > 0 { try require(expected[index - 1].lexicographicallyPrecedes(line), "lines are sorted") }
      let key = Array(line.dropFirst(opening.count))
      for count in [0, 3, 10, key.count / 2, key.count - 1] {
        try checkSearch(lines, expected, for: Array(key.prefix(count)))
        try checkSearch(lines, expected, for: Array(key.prefix(count)) + [0x7f])
      }
    }
    try checkChanges(lines, expected)
  }

  private static func lines(of text: UnsafeRawBufferPointer) throws(PropertyFailure) -> VaultLines? {
    do throws(KeychainError) {
      return try VaultLines(Secret(copying: text), in: 0..<text.count, path: "v")
    } catch {
      guard case .damaged = error else { throw PropertyFailure("lines are refused as damaged: \(error)") }
      return nil
    }
  }

  private static func checkSearch(
    _ lines: borrowing VaultLines, _ expected: [[UInt8]], for beginning: [UInt8]
  ) throws(PropertyFailure) {
    let found = lines.lines(beginning: beginning)
    for (index, line) in expected.enumerated() {
      try require(
        found.contains(index) == line.dropFirst(opening.count).starts(with: beginning),
        "a search finds what begins so, and nothing else")
    }
  }

  private static func checkChanges(
    _ unchanged: consuming VaultLines, _ expected: [[UInt8]]
  ) throws(PropertyFailure) {
    var lines = unchanged
    guard let last = expected.last else { return }
    let before = lines.savepoint
    lines.remove(lines.count / 2)
    try require(lines.count == expected.count - 1, "a line that is taken out is gone")
    var rest = expected
    rest.remove(at: expected.count / 2)
    let new = opening + last.dropFirst(opening.count) + [0x7e]
    lines.insert(Secret(copying: ByteString(new)))
    rest.append(new)
    rest.sort { $0.lexicographicallyPrecedes($1) }
    for (index, line) in rest.enumerated() {
      try require(lines.withLine(index) { $0.elementsEqual(line) }, "a line is put in where it belongs")
    }
    lines.restore(before)
    for (index, line) in expected.enumerated() {
      try require(lines.withLine(index) { $0.elementsEqual(line) }, "all is as it was")
    }
  }

  // MARK: Any items

  /// Makes items from the input's lines, each with one secret, and up to three states of each that are out of use and
  /// share a key. The written text can be read back, and the index leads to everything that may answer.
  private static func checkItems(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    var items: [[UInt8]: Item] = [:]
    for (number, line) in input.split(separator: 0x0a).prefix(24).enumerated() {
      var item = Self.item(Array(line))
      item.reference = ItemReference(ByteString("ref-\(number)"))
      items[SortKey.whole(of: item.key)] = item
    }
    let sorted = items.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    var lines = VaultLines()
    var count = 0
    for (number, (_, item)) in sorted.enumerated() {
      let line = try require("an item is written") { () throws(JSONReader.Malformed) in
        try Record.line(item, Credential(password: "rosebud"), revision: 1, previous: nil)
      }
      for state in 0..<(number + Int(input.last ?? 0)) % 4 {
        let former = try require("an item goes out of use") { () throws(JSONReader.Malformed) in
          try line.withUnsafeBytes { (line) throws(JSONReader.Malformed) in
            try RetiredRecord.line(of: line, at: Timestamp(seconds: Int64(state)), .replaced)
          }
        }
        lines.insert(former)
        count += 1
      }
      lines.insert(line)
    }
    try require(lines.count == sorted.count + count, "all items are put in")
    try require(lines.inUse == 0..<sorted.count, "what is out of use stands behind them")
    for (index, (_, item)) in sorted.enumerated() { try check(lines, index, is: item) }
    try checkLayout(lines, sorted)
    try checkIndex(lines, sorted, each: 1 + Int(input.first ?? 0) % 3)
  }

  private static func check(
    _ lines: borrowing VaultLines, _ index: Int, is item: Item
  ) throws(PropertyFailure) {
    do {
      let record = try lines.record(at: index, path: "v")
      try require(record.item == item && record.revision == 1, "an item is read as it was")
      let secret = try lines.credential(at: index, path: "v").secret.withUnsafeBytes { Array($0) }
      try require(secret == Array("rosebud".utf8), "and its secret")
      try require(try lines.index(of: item, path: "v") == index, "an item is found by its reference")
      var changed = item
      changed.key = .genericPassword(GenericPassword(service: "elsewhere"))
      try require(try lines.index(of: changed, path: "v") == index, "also where its key is being changed")
    } catch let failure as PropertyFailure {
      throw failure
    } catch {
      throw PropertyFailure("an item that was put in is read: \(error)")
    }
  }

  private static func checkLayout(
    _ lines: borrowing VaultLines, _ sorted: [(key: [UInt8], value: Item)]
  ) throws(PropertyFailure) {
    let head = VaultHead(first: 3)
    do {
      let text = try VaultText(lines, head) { head, index in
        var json = JSONWriter()
        json.head(head, version: 1, uuid: "u", authentication: [], index: index)
        return json.finish()
      }
      let bytes = text.bytes(of: lines)
      try require(bytes.last == 0x0a && bytes.count >= 4096, "a vault is filled up")
      guard let end = bytes.firstIndex(of: 0x0a) else { throw PropertyFailure("there is a first line") }
      let read = try lend(bytes[..<end]) { (line) throws(KeychainError) in
        try ReadVaultHead(parsing: line, path: "v")
      }
      try require(read.head.count == lines.count, "the first line counts the records")
      let again = try VaultLines(Secret(copying: ByteString(bytes)), in: read.records, path: "v")
      try require(again.count == lines.count, "all records are read")
      for (index, (_, item)) in sorted.enumerated() { try check(again, index, is: item) }
      let rest = bytes[read.records.upperBound...].dropLast()
      try require(rest.allSatisfy { $0 == 0x20 }, "nothing but padding follows")
    } catch let failure as PropertyFailure {
      throw failure
    } catch {
      throw PropertyFailure("what is laid out can be read: \(error)")
    }
  }

  /// An index of every `step`th record.
  private static func checkIndex(
    _ lines: borrowing VaultLines, _ sorted: [(key: [UInt8], value: Item)], each step: Int
  ) throws(PropertyFailure) {
    if sorted.isEmpty { return }
    var index = VaultIndex()
    var starts: [Int] = []
    var text: [UInt8] = []
    let keys = (0..<lines.count).map { lines.withLine($0) { Array($0.key) } }
    for position in keys.indices {
      if position % step == 0 {
        let previous = position == 0 ? [] : keys[position - 1]
        lend(keys[position]) { key in
          lend(previous) { index.append(offset: text.count, key: key, previous: $0) }
        }
      }
      starts.append(text.count)
      text += lines.withLine(position) { Array($0) } + [0x0a]
    }
    starts.append(text.count)
    try require(lend(text) { index.leads(through: $0) }, "an index leads through its records")
    let old = Array(RetiredRecord.keyPrefix.utf8)
    for (key, item) in sorted {
      var beginnings = [key, Array(key.dropLast()), Array(key.prefix(12)), [], key + [0x7e], old, old + key]
      if let query = try? ItemQuery(for: item.key) {
        beginnings.append(SortKey.beginning(for: query))
        beginnings.append(old + SortKey.beginning(for: query))
      }
      for beginning in beginnings {
        guard let part = index.part(ofKeysBeginningWith: beginning) else {
          throw PropertyFailure("an index that was made is one")
        }
        try require(starts.contains(part.lower), "a part begins with a record")
        try require(part.upper.map(starts.contains) ?? true, "a part ends with a record")
        for (position, other) in keys.enumerated() where other.starts(with: beginning) {
          try require(
            part.lower <= starts[position] && starts[position + 1] <= part.upper ?? text.count,
            "a part holds all that begins so")
        }
      }
    }
  }

  /// An item from the words of a line, separated by tabs: server, protocol, account, path, domain, label. A first byte
  /// of `g` makes a generic password.
  private static func item(_ line: [UInt8]) -> Item {
    let words = line.dropFirst().split(separator: 0x09, omittingEmptySubsequences: false).map { Array($0) }
    func word(_ index: Int) -> ByteString? { index < words.count ? ByteString(words[index]) : nil }
    if line.first == 0x67 {
      return Item(
        .genericPassword(GenericPassword(service: word(0) ?? "", account: word(1))), label: word(2),
        comment: word(3))
    }
    let number = UInt16(line.first ?? 0)
    return Item(
      .internetPassword(
        InternetPassword(
          protocol: word(1) ?? "https", server: word(0), port: number % 3 == 0 ? number * 3 : nil,
          account: word(2), path: word(3), securityDomain: word(4))),
      label: word(5), isDefault: number % 2 == 1)
  }

  private static let opening = Array(#"{"k":""#.utf8)
}

extension VaultText {
  /// The whole text.
  borrowing func bytes(of lines: borrowing VaultLines) -> [UInt8] {
    var bytes: [UInt8] = []
    forEachChunk(of: lines) { bytes += $0 }
    return bytes
  }
}
