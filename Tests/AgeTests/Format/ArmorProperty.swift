import Age
import Properties

/// The properties of any text as armor, and of any armored bytes.
enum ArmorProperty: Property {
  static func check(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    try checkAsText(input)
    try checkAsBinary(input)
  }

  /// If a text decodes, encoding the result gives the same text, except for line ends and outer white space.
  private static func checkAsText(_ text: UnsafeRawBufferPointer) throws(PropertyFailure) {
    let binary: [UInt8]
    do throws(AgeError) {
      binary = try Armor.decode(text)
    } catch {
      guard case .armor = error else { throw PropertyFailure("the error is the armor's: \(error)") }
      return
    }
    try require(Armor.isArmored(text), "what decodes is told to be armored")
    try require(FileEncoding.detect(text) == .armored, "what decodes is detected as armor")
    try require(encode(binary) == normalized(text), "there is one armor of some bytes")
  }

  /// The text with LF line ends, and without outer white space.
  private static func normalized(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0d ~= byte }
    var lines: [UInt8] = []
    for byte in text.drop(while: isSpace) {
      if byte == 0x0a, lines.last == 0x0d { lines.removeLast() }
      lines.append(byte)
    }
    while let last = lines.last, isSpace(last) { lines.removeLast() }
    return lines + [0x0a]
  }

  /// Encoded bytes decode to themselves, and no part of the text is taken for the whole.
  private static func checkAsBinary(_ binary: UnsafeRawBufferPointer) throws(PropertyFailure) {
    let text = Armor.encode(binary)
    try require(text.count == Armor.encodedSize(ofBinary: binary.count), "the size is the one foretold")
    try require(text.allSatisfy { $0 == 0x0a || 0x20...0x7e ~= $0 }, "an armor is text")
    for form in [
      text, text.flatMap { $0 == 0x0a ? [0x0d, 0x0a] : [$0] }, [0x20, 0x0a] + text + [0x0a, 0x09],
    ] {
      let decoded = try require("what was encoded decodes") { () throws(AgeError) in
        try lend(form) { (text) throws(AgeError) in try Armor.decode(text) }
      }
      try require(decoded.elementsEqual(binary), "what was encoded comes back")
    }
    // Without the END line, and cut at a position that the input chooses. The last line feed may be missing.
    let end = "-----END AGE ENCRYPTED FILE-----\n".utf8.count
    let chosen = Int(binary.first ?? 0) * (text.count - 1) / 256
    for count in [text.count - end, text.count - 2, chosen] {
      let part = try? lend(text[..<count]) { (text) throws(AgeError) in try Armor.decode(text) }
      try require(part == nil, "the first \(count) bytes of an armor are none")
    }
  }

  private static func encode(_ binary: [UInt8]) -> [UInt8] { lend(binary) { Armor.encode($0) } }
}
