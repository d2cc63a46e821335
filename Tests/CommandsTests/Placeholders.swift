/// Converts bytes to text for transcripts, and back.
enum Placeholders {
  private static let noLineFeed = "{NO LF}"

  /// What stands for lines of git's that many transcripts type, the longest first.
  private static let requests = [
    (sign: "{LOGIN}", lines: "protocol=https\nhost=example.com\nusername=alice\npassword=s3cret\n"),
    (sign: "{PLACE}", lines: "protocol=https\nhost=example.com\n"),
  ]

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

  /// The lines of an input, with what stands for some of them.
  static func inputLines(_ input: [UInt8]) -> [String] {
    lines(requests.reduce(text(input)) { $0.replacing($1.lines, with: $1.sign + "\n") })
  }

  /// The bytes of one line of input, with its line end.
  static func bytes(_ line: Substring) -> [UInt8] {
    if let request = requests.first(where: { $0.sign == line }) { return Array(request.lines.utf8) }
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

  /// The text with placeholders for parts that differ between runs.
  static func replacingVariable(_ text: String, home: String, bin: String) -> String {
    var text = text.replacing(home, with: "{HOME}").replacing(bin, with: "{BIN}")
    for (part, placeholder) in variable {
      text.replace(part) { match in
        placeholder.replacing("$1", with: match.count > 1 ? match[1].substring ?? "" : "")
      }
    }
    return text
  }

  /// The parts that differ, and what stands for each; `$1` is what the first parentheses have matched. Nothing changes them,
  /// and to make one takes longer than to search by it. A name ends at its file's suffix: by default, a regular expression
  /// takes two letters with a dot between them for one word.
  nonisolated(unsafe) private static let variable: [(Regex<AnyRegexOutput>, String)] = [
    (Regex(#/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#), "{DATE}"),
    (Regex(#/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/#), "{SECOND}"),
    (Regex(#/\d{4}-\d\d-\d\d \d\d:\d\d/#), "{MINUTE}"),
    (Regex(#/\b(\d+)-[0-9a-f]{8}\.age\b/#.wordBoundaryKind(.simple)), "$1-{MAC}.age"),
    (Regex(#/\bunmerged-[0-9a-f]{8}\.age\b/#.wordBoundaryKind(.simple)), "unmerged-{NUMBER}.age"),
    (Regex(#/0x(3\d){14}5A00  "\d{14}Z\\000"/#), "{TIMEDATE}"),
    (Regex(#/remembered on \d{4}-\d\d-\d\d/#), "remembered on {DATE}"),
    (Regex(#/(\/\d+)@\d{10}\b/#), "$1@{EPOCH}"),
    (Regex(#/:1\.\d+\b/#), "{OWNER}"),
    (Regex(#/\bprocess(":| )\d+\b/#), "process$1{PID}"),
    (Regex(#/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/#), "{UUID}"),
    (Regex(#/\b[0-9a-f]{16}\b/#.wordBoundaryKind(.simple)), "{SLOT}"),
    (Regex(#/\b[0-9A-Z]{4}(-[0-9A-Z]{4}){6}\b/#), "{CODE}"),
    (Regex(#/password_expiry_utc(=|":)1\d{9}\b/#), "password_expiry_utc$1{EPOCH}"),
  ]
}
