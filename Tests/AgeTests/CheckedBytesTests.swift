import Testing

@testable import Age

/// See the suite of that name of `KeychainTests`.
@Suite("bytes out of bounds") struct CheckedBytesTests {
  private static func traps(_ result: ExitTest.Result?, _ words: String) -> Bool {
    #if DEBUG
      String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).contains(words)
    #else
      true
    #endif
  }

  @Test("each way to them ends the process") func ways() async {
    for result in [
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [UInt8](repeating: 0, count: 3).withUnsafeBytes { print($0[3]) }
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var bytes: [UInt8] = [1, 2, 3]
        bytes.withUnsafeMutableBytes { $0[3] = 1 }
      },
    ] { #expect(Self.traps(result, "a byte outside of its buffer")) }
    for result in [
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [UInt8](repeating: 0, count: 3).withUnsafeBytes { print($0.part(2, 2).count) }
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var bytes: [UInt8] = [1, 2, 3]
        bytes.withUnsafeMutableBytes { print($0.part(2, 2).count) }
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [UInt8](repeating: 0, count: 3).withUnsafeBytes { print($0[..<4].count) }
      },
    ] { #expect(Self.traps(result, "bytes outside of their buffer")) }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var bytes: [UInt8] = [1, 2, 3]
      [UInt8](repeating: 0, count: 4).withUnsafeBytes { source in
        bytes.withUnsafeMutableBytes { $0.copyMemory(from: source) }
      }
    }
    #expect(Self.traps(result, "more bytes than their buffer has room for"))
  }
}
