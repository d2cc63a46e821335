import Bytes
import Expectations
import Glibc
import TestSupport
import Testing

/// These tests check that the process traps. The message shows that it also traps in release builds: the standard
/// library's has other words, and isn't printed there.
@Suite("bytes out of bounds", .aheadOfOthers) struct CheckedBytesTests {
  /// What ends the process, and the words of its message.
  private static let breaches: [(words: String, breach: @Sendable () -> Void)] = [
    (aByte, { [1, 2, 3].withUnsafeBytes { print($0[$0.count]) } }),
    (aByte, { three.withUnsafeBytes { print($0[-1]) } }),
    (aByte, { print(UnsafeRawBufferPointer(start: nil, count: 0)[0]) }),
    (aByte, { change { $0[3] = 1 } }),
    (aRange, { three.withUnsafeBytes { print($0[1..<4].count) } }),
    (aRange, { three.withUnsafeBytes { print($0[..<4].count) } }),
    (aRange, { change { print(UnsafeMutableRawBufferPointer(rebasing: $0[..<4]).count) } }),
    (aRange, { three.withUnsafeBytes { print($0.part(2, 2).count) } }),
    (aRange, { change { print($0.part(2, 2).count) } }),
    (aRange, { three.withUnsafeBytes { print($0.bigEndian(at: 0, UInt32.self)) } }),
    // Here the standard library's own check, which release builds also have, may come first.
    ("", { three.withUnsafeBytes { print($0[(-1)...].count) } }),
    ("", { three.withUnsafeBytes { print($0[1...3].count) } }),
    (aCopy, { (three + [0]).withUnsafeBytes { source in change { $0.copyMemory(from: source) } } }),
    (aCopy, { change { $0.copyBytes(from: [1, 2, 3, 4]) } }),
    (
      "a search outside of its buffer",
      { three.withUnsafeBytes { print($0.firstIndex(of: 0, from: 4) ?? 0) } }
    ),
  ]

  private static let aByte = "a byte outside of its buffer"
  private static let aRange = "bytes outside of their buffer"
  private static let aCopy = "more bytes than their buffer has room for"
  private static let three: [UInt8] = [0, 0, 0]

  private static func change(_ body: (UnsafeMutableRawBufferPointer) -> Void) {
    var bytes: [UInt8] = [1, 2, 3]
    bytes.withUnsafeMutableBytes { body($0) }
  }

  private static func performBreach(_ number: Int) { breaches[number].breach() }

  @Test("a byte, a range, a copy, or a search ends the process", arguments: breaches.indices)
  func traps(number: Int) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [number] in
      CheckedBytesTests.performBreach(number)
    }
    #if DEBUG
      let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      expect(said.contains(Self.breaches[number].words) || Self.breaches[number].words.isEmpty)
    #else
      expect(result != nil)
    #endif
  }

  @Test("what is within them is there")
  func within() {
    [UInt8](1...5).withUnsafeBytes { bytes in
      expect(bytes[0] == 1 && bytes[4] == 5)
      expect(
        Array(bytes[1..<3]) == [2, 3] && Array(bytes[3...]) == [4, 5] && Array(bytes[...1]) == [1, 2])
      expect(bytes[5...].isEmpty && bytes[..<0].isEmpty)
      expect(bytes.firstIndex(of: 3, from: 0) == 2 && bytes.firstIndex(of: 3, from: 3) == nil)
      expect(bytes.firstIndex(of: 5, from: 5), is: nil)
    }
    var target = [UInt8](repeating: 0, count: 4)
    target.withUnsafeMutableBytes { target in
      target.copyBytes(from: [1, 2])
      target[3] = 9
      // As memmove does.
      target.copyMemory(from: UnsafeRawBufferPointer(rebasing: target[1...]))
    }
    expect(target, is: [2, 0, 9, 9])
    expect(UnsafeRawBufferPointer(start: nil, count: 0).firstIndex(of: 0, from: 0), is: nil)
  }

  /// Without the import of `Bytes`, the standard library's accessors would be used silently.
  @Test("whoever reads raw bytes has the accessors that check")
  func imports() throws {
    let sources = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/Sources"
    var files = 0
    for path in swiftFiles(below: sources) where !path.contains("/Bytes/") {
      let text = String(decoding: try contents(of: path), as: UTF8.self)
      guard text.contains("RawBufferPointer") || text.contains("ithUnsafeBytes") else { continue }
      files += 1
      let isImported = text.split(separator: "\n").contains {
        $0 == "import Bytes" || $0.hasSuffix(" import Bytes")
      }
      expect(isImported, "\(path) imports no Bytes")
    }
    expect(files > 100)
  }

  private func swiftFiles(below folder: String) -> [String] {
    names(in: folder).filter { !$0.hasPrefix(".") }.flatMap { name in
      let path = "\(folder)/\(name)"
      return name.hasSuffix(".swift") ? [path] : swiftFiles(below: path)
    }
  }
}
