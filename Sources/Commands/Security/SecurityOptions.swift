import Bytes
import Glibc
import Keychain
import ToolCommands

/// The options of a command, as getopt(3) reads them. Each is a letter, and several may follow one hyphen. A value
/// follows in the same word, or is the next word. The operands begin with the first word that is not an option, or
/// after `--`.
struct SecurityOptions {
  /// In the order in which they were given.
  private(set) var given: [(letter: UInt8, value: SecurityWord?)] = []
  private(set) var operands: [SecurityWord] = []

  /// - Parameter specification: the known letters. One colon follows a letter that takes a value, and two colons
  ///   follow one that takes a value unless it ends the call.
  /// - Throws: ``SecurityFailure/usage(_:)`` for an unknown letter, or a missing value.
  init(_ words: [SecurityWord], _ specification: StaticString) throws(SecurityFailure) {
    var rest = words[...]
    while let word = rest.first {
      let bytes = word.bytes.withUnsafeBytes { $0.count > 1 && $0[0] == UInt8(ascii: "-") }
      if !bytes { break }
      rest.removeFirst()
      if word.bytes.withUnsafeBytes({ $0.count == 2 && $0[1] == UInt8(ascii: "-") }) { break }
      try read(word, &rest, specification)
    }
    operands = Array(rest)
  }

  private mutating func read(
    _ word: SecurityWord, _ rest: inout ArraySlice<SecurityWord>, _ specification: StaticString
  ) throws(SecurityFailure) {
    var position = 1
    while position < word.bytes.count {
      let letter = word.bytes.withUnsafeBytes { $0[position] }
      position += 1
      switch Self.colons(after: letter, in: specification) {
      case nil:
        throw .usage("illegal option -- \(terminalText(String(decoding: [letter], as: UTF8.self)))")
      case 0: given.append((letter, nil))
      case let colons?:
        if position < word.bytes.count {
          // The rest of the word is the value.
          given.append((letter, SecurityWord(word.bytes.withUnsafeBytes { Self.copy($0, from: position) })))
        } else if let next = rest.popFirst() {
          given.append((letter, next))
        } else if colons == 2 {
          given.append((letter, nil))
        } else {
          throw .usage("option requires an argument -- \(String(decoding: [letter], as: UTF8.self))")
        }
        return
      }
    }
  }

  private static func copy(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Secret {
    Secret(copying: UnsafeRawBufferPointer(rebasing: bytes[start...]))
  }

  /// The number of colons after a letter; `nil` if the letter is unknown.
  private static func colons(after letter: UInt8, in specification: StaticString) -> Int? {
    let known = UnsafeBufferPointer(
      start: specification.utf8Start, count: specification.utf8CodeUnitCount)
    guard letter != UInt8(ascii: ":"), let index = known.firstIndex(of: letter) else { return nil }
    return known[(index + 1)...].prefix { $0 == UInt8(ascii: ":") }.count
  }

  func has(_ letter: Unicode.Scalar) -> Bool {
    given.contains { $0.letter == UInt8(ascii: letter) }
  }

  /// The last value of an option, which counts.
  func word(_ letter: Unicode.Scalar) -> SecurityWord? {
    given.last { $0.letter == UInt8(ascii: letter) }?.value
  }

  /// The same for an option that is not secret.
  func value(_ letter: Unicode.Scalar) -> ByteString? {
    word(letter)?.attribute
  }

  /// The value as a four-character code.
  ///
  /// - Throws: ``SecurityFailure`` if it doesn't have four bytes.
  func code(_ letter: Unicode.Scalar) throws(SecurityFailure) -> FourCharacterCode? {
    guard let value = value(letter) else { return nil }
    if let code = FourCharacterCode(exactly: value) { return code }
    var lines = ["Error: four-character types must be exactly 4 characters long."]
    if value.bytes.count == 3 {
      let shown = terminalText("\(value)")
      lines.append("(Try \"\(shown) \" instead of \"\(shown)\")")
    }
    throw .told(lines)
  }

  /// The port; `nil` for 0.
  ///
  /// - Throws: ``SecurityFailure`` if it is not a number up to 65535.
  func port() throws(SecurityFailure) -> UInt16? {
    guard let value = value("P") else { return nil }
    guard let port = UInt16("\(value)") else { throw .usage("a port is a number from 0 to 65535") }
    return port == 0 ? nil : port
  }

  /// The named keychain, if there is one.
  ///
  /// - Throws: ``SecurityFailure/usage(_:)`` if there are several.
  func keychain() throws(SecurityFailure) -> SecurityWord? {
    if operands.count > 1 { throw .usage("more than one keychain is named") }
    return operands.first
  }
}
