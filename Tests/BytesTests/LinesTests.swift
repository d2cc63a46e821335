import Bytes
import Expectations
import Testing

@Suite("lines") struct LinesTests {
  private func lines(_ text: String) -> [String] {
    Array(text.utf8).withUnsafeBytes { bytes in
      var lines = Lines(bytes)
      var found: [String] = []
      while let line = lines.next() { found.append(String(decoding: line, as: UTF8.self)) }
      expect(lines.offset, is: bytes.count)
      return found
    }
  }

  @Test("LF and CRLF end a line, a carriage return alone doesn't, and the last one needs no end")
  func ends() {
    expect(lines("").isEmpty)
    expect(lines("\n") == [""] && lines("\r\n\n") == ["", ""])
    expect(lines("a\nb\r\nc"), is: ["a", "b", "c"])
    expect(lines("a\rb\r\r\nc\r"), is: ["a\rb\r", "c\r"])
  }
}
