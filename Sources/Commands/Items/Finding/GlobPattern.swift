import Bytes
import Keychain

/// A pattern for a whole text. `*` stands for any text, `?` for one character, `[…]` for one of several; a backslash
/// makes the next character literal.
///
/// The rules are those of fnmatch(3) without flags (POSIX.1-2024, XCU 2.14): `[a-z]` is a range, `[!…]` excludes the
/// characters, a `]` in first place is one of them, and a `[` that is never closed is literal. A character is a
/// Unicode scalar. A byte that is not UTF-8 counts as one character, which `?`, `*` and `[!…]` match.
struct GlobPattern: Equatable {
  private enum Element: Equatable {
    case one(UInt32)
    case any
    case anything
    case set([ClosedRange<UInt32>], isComplement: Bool)
  }

  private var elements: [Element] = []
  private let ignoresCase: Bool

  /// Every text is a valid pattern.
  ///
  /// - Parameter ignoringCase: whether to ignore the case of ASCII letters.
  init(_ text: String, ignoringCase: Bool = false) {
    ignoresCase = ignoringCase
    let scalars = text.unicodeScalars.map(\.value)
    var next = 0
    while next < scalars.count {
      let scalar = scalars[next]
      next += 1
      switch scalar {
      case 0x2a:
        // Several in a row mean the same as one.
        if elements.last != .anything { elements.append(.anything) }
      case 0x3f: elements.append(.any)
      case 0x5b:
        if let (set, end) = Self.set(in: scalars, from: next) {
          elements.append(set)
          next = end
        } else {
          elements.append(.one(scalar))
        }
      case 0x5c where next < scalars.count:
        elements.append(.one(scalars[next]))
        next += 1
      default: elements.append(.one(scalar))
      }
    }
  }

  /// Whether the pattern matches only the empty text.
  var isEmpty: Bool { elements.isEmpty }

  func matches(_ text: ByteString) -> Bool {
    matchesAll(elements, Self.characters(of: text), isStar: { $0 == .anything }, takes: takes)
  }

  private func takes(_ element: Element, _ character: UInt32) -> Bool {
    switch element {
    case .one(let scalar):
      return scalar == character || ignoresCase && Self.small(scalar) == Self.small(character)
    case .any, .anything: return true
    case .set(let ranges, let isComplement):
      let isInside = ranges.contains { range in
        range.contains(character)
          || ignoresCase && (range.contains(Self.small(character)) || range.contains(Self.capital(character)))
      }
      return isInside != isComplement
    }
  }

  /// The set whose `[` comes just before `start`, and the index after it; `nil` if it is never closed.
  private static func set(in scalars: [UInt32], from start: Int) -> (Element, end: Int)? {
    var next = start
    let isComplement = next < scalars.count && (scalars[next] == 0x21 || scalars[next] == 0x5e)
    if isComplement { next += 1 }
    let first = next
    var ranges: [ClosedRange<UInt32>] = []
    func member() -> UInt32? {
      if next < scalars.count, scalars[next] == 0x5c { next += 1 }
      guard next < scalars.count else { return nil }
      next += 1
      return scalars[next - 1]
    }
    while next < scalars.count {
      if scalars[next] == 0x5d, next > first { return (.set(ranges, isComplement: isComplement), next + 1) }
      guard let lower = member() else { return nil }
      guard next + 1 < scalars.count, scalars[next] == 0x2d, scalars[next + 1] != 0x5d else {
        ranges.append(lower...lower)
        continue
      }
      next += 1
      guard let upper = member() else { return nil }
      // A range that runs backwards is empty.
      if lower <= upper { ranges.append(lower...upper) }
    }
    return nil
  }

  private static func characters(of text: ByteString) -> [UInt32] {
    if text.bytes.allSatisfy({ $0 < 0x80 }) { return text.bytes.map(UInt32.init) }
    var characters: [UInt32] = []
    var decoder = UTF8.ForwardParser()
    var bytes = text.bytes.makeIterator()
    var position = 0
    while true {
      switch decoder.parseScalar(from: &bytes) {
      case .valid(let encoded):
        characters.append(UTF8.decode(encoded).value)
        position += encoded.count
      case .error(let length):
        // Beyond Unicode's last scalar, so that it equals no character.
        for byte in text.bytes[position..<position + length] { characters.append(0x11_0000 + UInt32(byte)) }
        position += length
      case .emptyInput: return characters
      }
    }
  }

  private static func small(_ scalar: UInt32) -> UInt32 { 0x41...0x5a ~= scalar ? scalar | 0x20 : scalar }

  private static func capital(_ scalar: UInt32) -> UInt32 { 0x61...0x7a ~= scalar ? scalar & ~0x20 : scalar }
}
