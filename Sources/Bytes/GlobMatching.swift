/// Whether a pattern matches all of a text. The number of steps is at most the product of both lengths, because only the
/// last star is ever retried.
///
/// - Parameters:
///   - isStar: whether an element of the pattern stands for any number of characters.
///   - takes: whether any other element stands for a character.
@inlinable
package func matchesAll<Element, Character>(
  _ pattern: [Element], _ text: [Character], isStar: (Element) -> Bool, takes: (Element, Character) -> Bool
) -> Bool {
  var (element, position) = (0, 0)
  // After the last star, and how far that is known to reach. If the rest doesn't match, it takes one character more.
  var retry: (element: Int, position: Int)?
  while position < text.count {
    if element < pattern.count, isStar(pattern[element]) {
      element += 1
      retry = (element, position)
    } else if element < pattern.count, takes(pattern[element], text[position]) {
      element += 1
      position += 1
    } else if let last = retry {
      (element, position) = (last.element, last.position + 1)
      retry = (element, position)
    } else {
      return false
    }
  }
  return pattern[element...].allSatisfy(isStar)
}

/// OpenSSH's patterns: `*` stands for any bytes, `?` for one; nothing else is special.
package enum WildcardPattern {
  /// Whether the pattern matches all of the text.
  package static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
    matchesAll(
      pattern, text, isStar: { $0 == UInt8(ascii: "*") }, takes: { $0 == UInt8(ascii: "?") || $0 == $1 })
  }
}
