import Bytes
import Interchange

/// A part of a text between line ends, braces and commas, compared in place, because it may be confidential.
private struct TextPart: Hashable {
  let bytes: UnsafeRawBufferPointer

  /// In their order.
  static func all(of text: UnsafeRawBufferPointer) -> [TextPart] {
    text.split { "\n{},".utf8.contains($0) }
      .map { TextPart(bytes: UnsafeRawBufferPointer(rebasing: $0).trimmedSlice) }
  }

  static func == (left: TextPart, right: TextPart) -> Bool { left.bytes.elementsEqual(right.bytes) }

  func hash(into hasher: inout Hasher) { hasher.combine(bytes: bytes) }
}

extension UnsafeRawBufferPointer {
  /// Whether this text has every part of another one. Either may be the other without its logins, and the other one
  /// may be cut off.
  func hasParts(of rest: UnsafeRawBufferPointer) -> Bool {
    let parts = TextPart.all(of: rest)
    guard let last = parts.last else { return true }
    let present = Set(TextPart.all(of: self))
    return parts.dropLast().allSatisfy(present.contains)
      && (present.contains(last) || indices.contains { self[$0...].starts(with: last.bytes) })
  }
}
