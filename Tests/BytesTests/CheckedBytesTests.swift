import Bytes
import Expectations
import Glibc
import TestSupport
import Testing

/// These tests check that the process traps. The message shows that it also traps in release builds: the standard
/// library's has other words, and isn't printed there.
@Suite("bytes out of bounds", .aheadOfOthers) struct CheckedBytesTests {
  private static func traps(_ result: ExitTest.Result?, _ words: String) -> Bool {
    #if DEBUG
      String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).contains(words)
    #else
      true
    #endif
  }

  @Test("a byte") func byte() async {
    for result in [
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [1, 2, 3].withUnsafeBytes { print($0[$0.count]) }
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [UInt8](repeating: 0, count: 3).withUnsafeBytes { print($0[-1]) }
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        print(UnsafeRawBufferPointer(start: nil, count: 0)[0])
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var bytes: [UInt8] = [1, 2, 3]
        bytes.withUnsafeMutableBytes { $0[3] = 1 }
      },
    ] { expect(Self.traps(result, "a byte outside of its buffer")) }
  }

  @Test("a range of bytes") func range() async {
    for result in [
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [UInt8](repeating: 0, count: 3).withUnsafeBytes { print($0[1..<4].count) }
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [UInt8](repeating: 0, count: 3).withUnsafeBytes { print($0[..<4].count) }
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var bytes: [UInt8] = [1, 2, 3]
        bytes.withUnsafeMutableBytes { print(UnsafeMutableRawBufferPointer(rebasing: $0[..<4]).count) }
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [UInt8](repeating: 0, count: 3).withUnsafeBytes { print($0.part(2, 2).count) }
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var bytes: [UInt8] = [1, 2, 3]
        bytes.withUnsafeMutableBytes { print($0.part(2, 2).count) }
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [UInt8](repeating: 0, count: 3).withUnsafeBytes { print($0.bigEndian(at: 0, UInt32.self)) }
      },
    ] { expect(Self.traps(result, "bytes outside of their buffer")) }
    // Here the standard library's own check, which release builds also have, may come first.
    await #expect(processExitsWith: .failure) {
      [UInt8](repeating: 0, count: 3).withUnsafeBytes { print($0[(-1)...].count) }
    }
    await #expect(processExitsWith: .failure) {
      [UInt8](repeating: 0, count: 3).withUnsafeBytes { print($0[1...3].count) }
    }
  }

  @Test("a copy, and a search") func copies() async {
    for result in [
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var bytes: [UInt8] = [1, 2, 3]
        [UInt8](repeating: 0, count: 4).withUnsafeBytes { source in
          bytes.withUnsafeMutableBytes { $0.copyMemory(from: source) }
        }
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var bytes: [UInt8] = [1, 2, 3]
        bytes.withUnsafeMutableBytes { $0.copyBytes(from: [1, 2, 3, 4]) }
      },
    ] { expect(Self.traps(result, "more bytes than their buffer has room for")) }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [UInt8](repeating: 0, count: 3).withUnsafeBytes { print($0.firstIndex(of: 0, from: 4) ?? 0) }
    }
    expect(Self.traps(result, "a search outside of its buffer"))
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
