import Age
import Expectations
import Keychain
import Testing

@testable import EncryptedFile

/// A vault's plaintext, parsed by a second reader that knows only the documentation.
struct ReadBack {
  struct Line {
    let start: Int
    /// The line without LF and the spaces before it.
    let content: ArraySlice<UInt8>
    /// The position after the LF.
    let end: Int

    var key: [UInt8] { Array(content.dropFirst(6).prefix { $0 != UInt8(ascii: "\"") }) }
  }

  let plaintext: [UInt8]
  let head: ReadVaultHead
  let records: [Line]
  let index: [(offset: Int, separator: [UInt8])]

  init(_ plaintext: [UInt8]) throws {
    self.plaintext = plaintext
    let first = try #require(plaintext.firstIndex(of: 0x0a))
    head = try plaintext.withUnsafeBytes {
      try ReadVaultHead(parsing: .init(rebasing: $0[..<first]), path: "vault")
    }
    let end = first + 1 + head.head.byteCount
    var records: [Line] = []
    var start = first + 1
    while start < end {
      let lineFeed = try #require(plaintext[start...].firstIndex(of: 0x0a))
      let padded = plaintext[start..<lineFeed]
      let content = padded[..<(padded.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? start)]
      records.append(Line(start: start, content: content, end: lineFeed + 1))
      start = lineFeed + 1
    }
    self.records = records
    let entries = head.index.text.split(separator: UInt8(ascii: "!"))
    index = try entries.map { entry in
      let parts = entry.split(separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false)
      return (try #require(Int(text(parts[0]))), Array(parts[1]))
    }
    expect(start, is: end)
  }

  var afterRecords: ArraySlice<UInt8> { plaintext[(head.size + head.head.byteCount)...] }

  func expectLargeLayout() {
    let chunk = PayloadLayout.chunkSize
    expect(head.size % chunk, is: 0)
    expect(plaintext.count % chunk == 1 && plaintext.last == 0x0a)
    for record in records where record.content.count < chunk {
      expect(record.start / chunk, is: (record.start + record.content.count) / chunk)
      expect(record.start / chunk, is: (record.end - 1) / chunk)
    }
    for record in records where record.content.count >= chunk { expect(record.start % chunk, is: 0) }
    var firsts: [(record: Line, previous: Line?)] = []
    for (position, record) in records.enumerated()
    where firsts.last.map({ $0.record.start / chunk != record.start / chunk }) ?? true {
      firsts.append((record, position > 0 ? records[position - 1] : nil))
    }
    expect(index.map(\.offset), is: firsts.map { $0.record.start - head.size })
    for (entry, first) in zip(index, firsts) {
      expect(!first.record.key.lexicographicallyPrecedes(entry.separator))
      if let previous = first.previous {
        expect(
          previous.key.lexicographicallyPrecedes(entry.separator)
            || (previous.key.elementsEqual(entry.separator)
              && first.record.key.elementsEqual(entry.separator))
        )
      } else {
        expect(entry.separator.isEmpty)
      }
    }
    expect(afterRecords.allSatisfy { $0 == 0x20 || $0 == 0x0a })
  }
}
