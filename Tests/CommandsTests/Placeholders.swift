/// Converts bytes to text for transcripts, and back.
enum Placeholders {
  private static let noLineFeed = "{NO LF}"

  /// Bytes as text. Those that are neither printable nor a line end are written as `{XX}`.
  static func text(_ bytes: [UInt8]) -> String {
    let isText = String(validating: bytes, as: UTF8.self) != nil
    var text: [UInt8] = []
    for byte in bytes {
      if byte == 0x0a || 0x20..<0x7f ~= byte || byte >= 0x80 && isText {
        text.append(byte)
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        text += "{\(digits.count < 2 ? "0" : "")\(digits)}".utf8
      }
    }
    if let last = bytes.last, last != 0x0a { text += (noLineFeed + "\n").utf8 }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of one line, with its line end.
  static func bytes(_ line: Substring) -> [UInt8] {
    var line = line
    let isWhole = !line.hasSuffix(noLineFeed)
    if !isWhole { line.removeLast(noLineFeed.count) }
    var bytes: [UInt8] = []
    while let character = line.first {
      if character == "{", line.dropFirst(3).first == "}",
        let byte = UInt8(line.dropFirst().prefix(2), radix: 16)
      {
        bytes.append(byte)
        line.removeFirst(4)
      } else {
        bytes += character.utf8
        line.removeFirst()
      }
    }
    return isWhole ? bytes + [0x0a] : bytes
  }

  /// The lines of a text that ends with a line end, or is empty.
  static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// The text with placeholders for parts that differ between runs. A name ends at its file's suffix: by default, a
  /// regular expression takes two letters with a dot between them for one word.
  static func replacingVariable(_ text: String, home: String, bin: String) -> String {
    text.replacing(home, with: "{HOME}")
      .replacing(bin, with: "{BIN}")
      .replacing(#/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#, with: "{DATE}")
      .replacing(#/\d{4}-\d\d-\d\d \d\d:\d\dZ/#, with: "{MINUTE}")
      .replacing(#/\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/#, with: "{SECOND}")
      .replacing(#/\b(\d+)-[0-9a-f]{8}\.age\b/#.wordBoundaryKind(.simple)) { "\($0.1)-{MAC}.age" }
      .replacing(#/\bunmerged-[0-9a-f]{8}\.age\b/#.wordBoundaryKind(.simple), with: "unmerged-{NUMBER}.age")
      .replacing(#/0x(3\d){14}5A00  "\d{14}Z\\000"/#, with: "{TIMEDATE}")
      .replacing(#/remembered on \d{4}-\d\d-\d\d/#, with: "remembered on {DATE}")
      .replacing(#/(\/\d+)@\d{10}\b/#) { "\($0.1)@{EPOCH}" }
      .replacing(#/:1\.\d+\b/#, with: "{OWNER}")
      .replacing(#/\bprocess(":| )\d+\b/#) { "process\($0.1){PID}" }
      .replacing(#/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/#, with: "{UUID}")
      .replacing(#/\b[0-9a-f]{16}\b/#.wordBoundaryKind(.simple), with: "{SLOT}")
      .replacing(#/\b[0-9A-Z]{4}(-[0-9A-Z]{4}){6}\b/#, with: "{CODE}")
      .replacing(#/password_expiry_utc(=|":)1\d{9}\b/#) { "password_expiry_utc\($0.1){EPOCH}" }
  }
}
