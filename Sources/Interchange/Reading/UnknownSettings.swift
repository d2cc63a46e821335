import Bytes
import Keychain

extension FoundLogins {
  /// Reports each line that looks like it has a secret but was neither taken nor reported: a password in a URL, a
  /// setting named like a secret, a key or an authorization. So a setting that a format doesn't know can't hide one.
  /// Comments are ignored.
  mutating func nameUnknownSecrets(of text: UnsafeRawBufferPointer) {
    let taken = TakenRanges(logins)
    let named = Set(passedOver.compactMap(\.origin.line))
    // An entry reported by a program's name for it may be on any line.
    let hasNames = passedOver.contains { $0.origin.line == nil }
    for line in FileLines(text) {
      if let first = line.text.first(where: { !isWhiteSpace($0) }), "#;!".utf8.contains(first) { continue }
      if named.contains(line.number) { continue }
      if text.passwordsInURLs(line.range).contains(where: { !taken.overlap($0) }) {
        passOver(.line(line.number), .inURL)
      } else if !hasNames, text.secretValues(line.range).contains(where: { !taken.overlap($0) }) {
        passOver(.line(line.number), .unknownSetting)
      }
    }
  }
}

/// The ranges to be removed, of which there may be a hundred thousand.
private struct TakenRanges {
  private let ranges: [Range<Int>]

  init(_ logins: [FoundLogin]) {
    ranges = logins.flatMap(\.removals).map(\.range).sorted { $0.lowerBound < $1.lowerBound }
  }

  /// Whether one of them overlaps a range. They don't overlap each other, but may be equal.
  func overlap(_ range: Range<Int>) -> Bool {
    var (start, end) = (0, ranges.count)
    while start < end {
      let middle = (start + end) / 2
      if ranges[middle].upperBound <= range.lowerBound { start = middle + 1 } else { end = middle }
    }
    return start < ranges.count && ranges[start].overlaps(range)
  }
}

extension Origin {
  fileprivate var line: Int? {
    switch self {
    case .line(let line), .machine(_, let line): line
    case .lines, .entry: nil
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The values in a line that are secrets by their names or by themselves.
  fileprivate func secretValues(_ line: Range<Int>) -> [Range<Int>] {
    var values = knownTokens(line)
    for sign in line where "=:".utf8.contains(self[sign]) {
      let value = value(after: sign, in: line)
      if value.isEmpty { continue }
      let name = name(before: sign, in: line)
      let isHeader = name.lowercased.ends(with: "authorization")
      if name.isSecretsName || isHeader || isKey(value) || isAuthorization(value, in: line) {
        values.append(value)
      }
    }
    return values
  }

  /// The name before an equals sign or a colon.
  private func name(before sign: Int, in line: Range<Int>) -> ByteString {
    func isOfName(_ byte: UInt8) -> Bool { byte.isLetterOrDigit || "._-".utf8.contains(byte) }
    let end = self[line.lowerBound..<sign].reversed()
      .prefix { isWhiteSpace($0) || "\"'".utf8.contains($0) }.count
    let name = self[line.lowerBound..<sign - end].reversed().prefix(while: isOfName).count
    return ByteString(Array(self[sign - end - name..<sign - end]))
  }

  /// The value after an equals sign or a colon; empty if there is none, or it is a variable.
  private func value(after sign: Int, in line: Range<Int>) -> Range<Int> {
    let start =
      self[sign + 1..<line.upperBound].firstIndex { !isWhiteSpace($0) && !"\"'".utf8.contains($0) }
      ?? line.upperBound
    let end =
      self[start..<line.upperBound].firstIndex { isWhiteSpace($0) || "\"',{}[]<>".utf8.contains($0) }
      ?? line.upperBound
    let value = ByteString(Array(self[start..<end])).lowercased
    let isNothing = ["true", "false", "null", "none", "yes", "no", "~", "|", ">", "|-", ">-"].contains(value)
    return isNothing || value.bytes.first == UInt8(ascii: "$") ? start..<start : start..<end
  }

  private func isKey(_ value: Range<Int>) -> Bool { begins(with: "-----BEGIN", at: value.lowerBound) }

  /// Whether a value is an authorization header, as in rclone's `headers`.
  private func isAuthorization(_ value: Range<Int>, in line: Range<Int>) -> Bool {
    let words = ByteString(Array(self[value.lowerBound..<line.upperBound])).lowercased.bytes
      .split { !$0.isLetter }.prefix(2).map { String(decoding: $0, as: UTF8.self) }
    return words.first == "authorization" && ["basic", "bearer", "token"].contains(words.last)
  }
}
