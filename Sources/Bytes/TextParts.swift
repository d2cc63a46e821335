// The standard library's `contains`, `firstRange` and `replacing` for text would bring the engine of regular
// expressions, and with it the names of all characters, into a program: 1.3 MB. Package.swift leaves their module out.
extension StringProtocol {
  /// Whether the text contains a part, byte for byte.
  package func hasPart(_ part: some StringProtocol) -> Bool { rangeOfPart(part) != nil }

  /// Where a part first is in the text, byte for byte; `nil` if nowhere.
  package func rangeOfPart(_ part: some StringProtocol) -> Range<Index>? {
    let length = part.utf8.count
    var (start, left) = (startIndex, utf8.count)
    while left >= length {
      if utf8[start...].starts(with: part.utf8) { return start..<utf8.index(start, offsetBy: length) }
      if left == 0 { break }
      utf8.formIndex(after: &start)
      left -= 1
    }
    return nil
  }

  /// The text with each `part`, byte for byte, replaced by `other`. The part has at least one byte.
  package func replacingPart(_ part: some StringProtocol, with other: some StringProtocol) -> String {
    var (result, rest) = ("", self[...])
    while let range = rest.rangeOfPart(part) {
      result += rest[..<range.lowerBound]
      result += other
      rest = rest[range.upperBound...]
    }
    return result + rest
  }
}
