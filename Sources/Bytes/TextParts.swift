extension StringProtocol {
  /// Whether a text has a part in it, byte for byte.
  ///
  /// The standard library's `contains` for texts brings the parser of regular expressions, and with it the names of all
  /// characters, into a program: 1.3 MB.
  package func hasPart(_ part: some StringProtocol) -> Bool {
    let (whole, wanted) = (Array(utf8), Array(part.utf8))
    if wanted.isEmpty { return true }
    if wanted.count > whole.count { return false }
    return (0...whole.count - wanted.count).contains { start in
      whole[start..<start + wanted.count].elementsEqual(wanted)
    }
  }
}
