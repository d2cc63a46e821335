public import Bytes

/// A text split into references to secrets and the rest.
public struct ReferencesInText: Sendable {
  /// A part of the text.
  public enum Part: Sendable {
    /// Bytes to keep unchanged.
    case text(Range<Int>)
    /// A reference, and its text.
    case reference(SecretReference, ByteString)
  }

  /// A part that looks like a reference but isn't a valid one.
  public struct Fault: Error, Hashable, Sendable {
    /// Where it begins, in bytes.
    public let offset: Int
    /// Whether it has the form `${…}`, but names nothing.
    public let isMarked: Bool
  }

  /// The parts in order.
  public private(set) var parts: [Part] = []

  /// Whether there is a reference.
  public var hasReferences: Bool {
    parts.contains { if case .reference = $0 { true } else { false } }
  }

  /// Splits a text. Within it, a reference is written `${llavero://…}`.
  ///
  /// - Parameter isValue: whether the whole text may be a reference without the braces.
  /// - Throws: ``Fault`` for the first part that looks like a reference and can't be resolved.
  public init(_ text: UnsafeRawBufferPointer, isValue: Bool) throws(Fault) {
    if isValue, SecretReference.isMeant(by: text), Self.looksLikeReference(text, at: 0) {
      parts = [try Self.reference(text, at: 0, isMarked: false)]
      return
    }
    var start = 0
    var index = 0
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: "$"), Self.isMarked(text[index...]) {
        let close = text[index...].firstIndex(of: UInt8(ascii: "}"))
        guard let close else { throw Fault(offset: index, isMarked: true) }
        if start < index { parts.append(.text(start..<index)) }
        let inside = UnsafeRawBufferPointer(rebasing: text[(index + 2)..<close])
        parts.append(try Self.reference(inside, at: index, isMarked: true))
        index = close + 1
        start = index
        continue
      }
      if byte == UInt8(ascii: "l"), Self.looksLikeReference(text, at: index) {
        throw Fault(offset: index, isMarked: false)
      }
      index += 1
    }
    if start < text.count { parts.append(.text(start..<text.count)) }
  }

  private static func reference(
    _ text: UnsafeRawBufferPointer, at offset: Int, isMarked: Bool
  ) throws(Fault) -> Part {
    guard let reference = try? SecretReference(parsing: text) else {
      throw Fault(offset: offset, isMarked: isMarked)
    }
    return .reference(reference, ByteString(text))
  }

  private static func isMarked(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
    text.starts(with: "${llavero:".utf8) || text.starts(with: "${llavero+".utf8)
  }

  /// Whether a reference seems to begin here: the scheme with `//`, or with anything unless it ends a path or name, as
  /// in a PATH with the folder `/opt/llavero`.
  private static func looksLikeReference(_ text: UnsafeRawBufferPointer, at start: Int) -> Bool {
    guard text[start...].starts(with: "llavero".utf8) else { return false }
    var rest = text[(start + "llavero".utf8.count)...]
    if rest.first == UInt8(ascii: "+") { rest = rest.drop(while: \.isOfScheme) }
    guard rest.first == UInt8(ascii: ":") else { return false }
    rest = rest.dropFirst()
    if rest.starts(with: "//".utf8) { return true }
    if let next = rest.first, next <= 0x20 { return false }
    guard start > 0, !rest.isEmpty else { return !rest.isEmpty }
    return !(text[start - 1].isOfScheme || "/_%".utf8.contains(text[start - 1]))
  }
}
