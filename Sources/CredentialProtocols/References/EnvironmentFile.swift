public import Bytes

/// Variables for a program, from a file as Docker Compose, python-dotenv and node read it.
///
/// The three differ a lot. Lines that they read alike are read the same way here; a line that they read differently is
/// refused with a hint how to write it. For expansions and a byte order mark, which node doesn't handle, Compose and
/// python-dotenv decide. Names that Compose refuses, such as npm's with slashes, are read as the others do.
public struct EnvironmentFile: ~Copyable {
  /// The maximum file size, in bytes.
  public static let longest = 1 << 20

  /// A line that can't be read.
  public struct Fault: Error, Hashable, Sendable {
    /// The line's number, from 1: the first one for a value over several lines.
    public let line: Int
    /// The fault, to follow the line's number: `has a tab at an end of its value`.
    public let message: String
    /// How to write it.
    public let hint: String?
  }

  private let variable: (ByteString, inout Secret) -> Bool
  private var names: [ByteString: Range<Int>] = [:]
  private var values = Secret()

  /// - Parameter variable: appends a variable's value from before the file, for `${NAME}`. Returns `false` if it isn't
  ///   set.
  public init(variable: @escaping (ByteString, inout Secret) -> Bool) {
    self.variable = variable
  }

  /// Calls `body` with the name and value of each variable, in order, after expanding `${NAME}` and `${NAME:-TEXT}`. A
  /// name for a reference to a secret becomes `${llavero…}`, the form of a reference within a value.
  ///
  /// - Throws: ``Fault``, and the errors of `body`.
  public mutating func read(
    _ text: UnsafeRawBufferPointer,
    _ body: (_ line: Int, _ name: ByteString, _ value: UnsafeRawBufferPointer) throws(Fault) -> Void
  ) throws(Fault) {
    var reader = EnvironmentReader(text)
    while let name = try reader.name() {
      let line = reader.line
      let value = try reader.value { (name, or) throws(Fault) in try self.value(of: name, or: or, line) }
      try value.withUnsafeBytes { (value) throws(Fault) in try body(line, name, value) }
      names[name] = values.count..<(values.count + value.count)
      values.append(value)
    }
  }

  /// The value of `${name}` or `${name:-otherwise}`. The environment takes precedence over the file.
  private borrowing func value(
    of name: ByteString, or otherwise: ByteString?, _ line: Int
  ) throws(Fault) -> Secret {
    var value = Secret()
    if !variable(name, &value) {
      guard let range = names[name] else { return Secret(copying: otherwise ?? "") }
      values.withUnsafeBytes { value.append(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
    if value.isEmpty, let otherwise, !otherwise.isEmpty {
      throw Fault(
        line: line, message: "uses the variable \(name), which is empty",
        hint: "some programs take the text after ':-' then, others nothing: set the variable, or leave it out"
      )
    }
    return value
  }
}

/// Reads names and values alternately.
private struct EnvironmentReader {
  private let text: UnsafeRawBufferPointer
  private var next: Int
  /// The line of the last name.
  private(set) var line = 1
  /// The line of the next byte.
  private var current = 1

  typealias Fault = EnvironmentFile.Fault
  typealias Expansion = (_ name: ByteString, _ otherwise: ByteString?) throws(Fault) -> Secret

  init(_ text: UnsafeRawBufferPointer) {
    self.text = text
    next = text.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
  }

  private var byte: UInt8? { next < text.count ? text[next] : nil }

  private func fault(_ message: String, _ hint: String? = nil) -> Fault {
    Fault(line: line, message: message, hint: hint)
  }

  private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
    while let byte, isSkipped(byte) {
      if byte == 0x0a { current += 1 }
      next += 1
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }

  // MARK: Names

  /// The next variable's name; `nil` at the end.
  mutating func name() throws(Fault) -> ByteString? {
    var start = next
    while true {
      start = next
      skip { Self.isBlank($0) || $0 == 0x0a }
      if let last = text[start..<next].lastIndex(of: 0x0a) { start = last + 1 }
      guard let byte else { return nil }
      if byte != UInt8(ascii: "#") { break }
      skip { $0 != 0x0a }
    }
    line = current
    let end = text[next...].firstIndex(of: 0x0a) ?? text.endIndex
    guard let equals = text[next..<end].firstIndex(of: UInt8(ascii: "=")) else {
      throw fault("is not NAME=VALUE")
    }
    if text[start..<next].contains(0x09) { throw fault("begins with a tab", "indent it with spaces") }
    var name = text[next..<equals]
    next = equals + 1
    if name.starts(with: "export ".utf8) { name = name.dropFirst("export ".utf8.count) }
    while name.last == 0x20 { name.removeLast() }
    let bytes = ByteString(UnsafeRawBufferPointer(rebasing: name))
    guard Self.isName(bytes) else {
      throw fault(
        "has a name that programs read differently",
        "use letters, digits and '_', without a space or tab before them, and one space after 'export'")
    }
    return bytes
  }

  /// Whether all readers accept a name, or Compose refuses it and the others accept it.
  private static func isName(_ name: ByteString) -> Bool {
    guard let text = name.text, !text.isEmpty else { return false }
    var isRefusedByCompose = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case "_", ".", "-", "[", "]": break
      case "/", "@", "+": isRefusedByCompose = true
      // Compose ends the name here.
      case ":" where isRefusedByCompose: break
      default: if !isLetterOrNumber(scalar) { return false }
      }
    }
    return true
  }

  private static func isLetterOrNumber(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber, .otherNumber:
      true
    default: false
    }
  }

  // MARK: Values

  mutating func value(_ expand: Expansion) throws(Fault) -> Secret {
    skip { $0 == 0x20 }
    if let byte, byte == 0x22 || byte == 0x27 { return try quoted(byte, expand) }
    let end = text[next...].firstIndex(of: 0x0a) ?? text.endIndex
    var value = text[next..<end]
    next = end
    if value.last == 0x0d { value.removeLast() }
    if let hash = value.firstIndex(of: UInt8(ascii: "#")) {
      guard hash > value.startIndex, value[hash - 1] == 0x20 else {
        throw fault(
          "has a '#' in its value that some programs take for a comment",
          "put the value in quotes, or a space before a comment")
      }
      value = value[..<hash]
    }
    while value.last == 0x20 { value.removeLast() }
    if value.first == UInt8(ascii: "`") {
      throw fault("has a value in backquotes, which some programs keep", "use ' or \"")
    }
    let bytes = UnsafeRawBufferPointer(rebasing: value)
    if Self.isSpace(bytes, atEnd: false) || Self.isSpace(bytes, atEnd: true) {
      throw fault("has a tab or another space at an end of its value", "put the value in quotes")
    }
    return try expanded(bytes, expand)
  }

  /// Whether a text begins or ends with a space of Unicode.
  private static func isSpace(_ text: UnsafeRawBufferPointer, atEnd: Bool) -> Bool {
    let part = UnsafeRawBufferPointer(rebasing: atEnd ? text.suffix(4) : text.prefix(4))
    let scalars = String(decoding: part, as: UTF8.self).unicodeScalars
    return (atEnd ? scalars.last : scalars.first)?.properties.isWhitespace ?? false
  }

  private mutating func quoted(_ quote: UInt8, _ expand: Expansion) throws(Fault) -> Secret {
    next += 1
    let start = next
    while let byte, byte != quote {
      if byte == UInt8(ascii: "\\") { try checkEscape(in: quote) }
      if byte == 0x0a { current += 1 }
      next += 1
    }
    guard byte != nil else { throw fault("begins a value in quotes that doesn't end") }
    let value = UnsafeRawBufferPointer(rebasing: text[start..<next])
    next += 1
    skip(Self.isBlank)
    if byte == UInt8(ascii: "#") { skip { $0 != 0x0a } }
    guard byte == nil || byte == 0x0a else {
      throw fault(
        "goes on after a value in quotes",
        "put the whole value in quotes of one kind, or a '#' before a comment")
    }
    if quote == 0x22 { return try expanded(value, isInDoubleQuotes: true, expand) }
    if Self.hasExpansion(value) {
      throw fault(
        "has '${' in single quotes, which some programs expand all the same",
        "use double quotes, where all that expand do so")
    }
    try checkText(value)
    return Secret(copying: value)
  }

  private func checkText(_ text: UnsafeRawBufferPointer) throws(Fault) {
    if text.contains(0x0d) {
      throw fault("has a carriage return in its value", "end lines with a line feed alone")
    }
    if text.contains(0) || !isValidUTF8(text) { throw fault("has a value that is no text in UTF-8") }
  }

  /// Whether there is a `${` other than a reference to a secret.
  private static func hasExpansion(_ value: UnsafeRawBufferPointer) -> Bool {
    value.indices.contains { value[$0...].starts(with: "${".utf8) && !isReference(value[$0...]) }
  }

  private static func isReference(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
    text.starts(with: "${llavero:".utf8) || text.starts(with: "${llavero+".utf8)
  }

  /// Refuses escape sequences that the readers understand differently. All read `\n` in double quotes as a line feed,
  /// and leave other letters unchanged.
  private func checkEscape(in quote: UInt8) throws(Fault) {
    guard next + 1 < text.count else { return }
    let escaped = text[next + 1]
    let isSame = quote == 0x27 ? escaped != quote && escaped != 0x5c : !"\\\"'$abfrtv0".utf8.contains(escaped)
    if !isSame {
      throw fault(
        "has '\\\(Character(Unicode.Scalar(escaped)))' in quotes, which programs read differently",
        quote == 0x27 || escaped == 0x5c || escaped == 0x22
          ? "use the other kind of quotes, or write the value without quotes"
          : "write the character itself, or use single quotes")
    }
  }

  /// The text with variables expanded, and in double quotes `\n` replaced by a line feed.
  private func expanded(
    _ text: UnsafeRawBufferPointer, isInDoubleQuotes: Bool = false, _ expand: Expansion
  ) throws(Fault) -> Secret {
    try checkText(text)
    var result = Secret(capacity: text.count)
    var rest = text[...]
    while let byte = rest.first {
      if byte == UInt8(ascii: "$"), let used = try variable(rest, &result, expand) {
        rest = rest.dropFirst(used)
      } else if byte == UInt8(ascii: "\\"), isInDoubleQuotes, rest.dropFirst().first == UInt8(ascii: "n") {
        result.append("\n")
        rest = rest.dropFirst(2)
      } else {
        result.append(byte)
        rest = rest.dropFirst()
      }
    }
    return result
  }

  /// Replaces the variable at the beginning of the text. Returns its length; `nil` if the dollar sign is an ordinary
  /// one.
  private func variable(
    _ text: Slice<UnsafeRawBufferPointer>, _ result: inout Secret, _ expand: Expansion
  ) throws(Fault) -> Int? {
    let after = text.dropFirst()
    guard let first = after.first else { return nil }
    if first == UInt8(ascii: "$") || Self.isLetter(first) {
      throw fault(
        "has a '$' in its value that only some programs expand",
        "write ${NAME} for a variable, and put a value with a dollar sign in single quotes")
    }
    guard first == UInt8(ascii: "{") else { return nil }
    guard let close = text.firstIndex(of: UInt8(ascii: "}")) else { throw unusableExpansion }
    let length = close + 1 - text.startIndex
    if Self.isReference(text) {
      result.append(UnsafeRawBufferPointer(rebasing: text.prefix(length)))
      return length
    }
    let inside = text[(text.startIndex + 2)..<close]
    let name = inside.prefix { Self.isLetter($0) || 0x30...0x39 ~= $0 }
    let rest = inside[name.endIndex...]
    guard let letter = name.first, Self.isLetter(letter), rest.isEmpty || rest.starts(with: ":-".utf8),
      !rest.contains(where: { "$`\\{".utf8.contains($0) })
    else { throw unusableExpansion }
    let otherwise = rest.isEmpty ? nil : ByteString(UnsafeRawBufferPointer(rebasing: rest.dropFirst(2)))
    let value = try expand(ByteString(UnsafeRawBufferPointer(rebasing: name)), otherwise)
    value.withUnsafeBytes { value in
      if SecretReference.isMeant(by: value) {
        Self.appendMarked(value, to: &result)
      } else {
        result.append(value)
      }
    }
    return length
  }

  /// Appends a reference in braces, with its own closing braces escaped.
  private static func appendMarked(_ reference: UnsafeRawBufferPointer, to result: inout Secret) {
    result.append("${")
    for byte in reference {
      if byte == UInt8(ascii: "}") { result.append("%7D") } else { result.append(byte) }
    }
    result.append("}")
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    0x41...0x5a ~= byte || 0x61...0x7a ~= byte || byte == 0x5f
  }

  private var unusableExpansion: Fault {
    fault(
      "has a '${' that programs read differently",
      "there are ${NAME} and ${NAME:-TEXT}, and ${llavero://…} for a secret")
  }
}
