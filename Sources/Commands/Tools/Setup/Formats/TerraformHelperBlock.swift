import TextFormats

/// The single block `credentials_helper "NAME" { … }` that Terraform's CLI configuration may have.
struct TerraformHelperBlock: ConfigurationFormat {
  let helper: String

  let name = "credentials_helper"

  var byHand: [String] { ["\(shown(helper)) { args = [] }"] }

  func shown(_ value: String) -> String { "credentials_helper \"\(value)\"" }

  func reading(of text: [UInt8]) throws(ConfigurationFault) -> ConfigurationReading {
    if text.drop(while: isWhiteSpace).first == UInt8(ascii: "{") {
      // Terraform stops reading after the object.
      throw ConfigurationFault(
        "it is JSON", byHand: ["\"credentials_helper\": {\"\(helper)\": {\"args\": []}}"])
    }
    var reading = ConfigurationReading()
    for statement in try Self.statements(of: text) {
      if let label = Self.label(statement, text) {
        reading.setting.append(label)
      } else {
        reading.others.append(
          .init(name: [], value: Array(statement.map { text[$0] }.joined(separator: [0x20]))))
      }
    }
    return reading
  }

  func proposal(for text: [UInt8]) throws(ConfigurationFault) -> [TextEdit] {
    let present = try reading(of: text).setting
    if present == [helper] { return [] }
    if let other = present.first {
      throw ConfigurationFault("it names another one already: \(other)")
    }
    return [text.ending(with: byHand)]
  }

  func undoing(_ edit: TextEdit, in text: [UInt8]) throws(ConfigurationFault) -> [UInt8]? {
    let own = try Self.statements(of: text).filter { Self.label($0, text) == helper }
    guard own.count == 1, let start = own[0].first?.lowerBound, let end = own[0].last?.upperBound else {
      return nil
    }
    // Remove the whole line if nothing else is on it.
    let lineStart = (text[..<start].lastIndex(of: 0x0a) ?? -1) + 1
    let lineEnd = text[end...].firstIndex(of: 0x0a).map { $0 + 1 } ?? text.count
    let isAlone = Array(text[lineStart..<start]).isBlank && Array(text[end..<lineEnd]).isBlank
    return Array(text[..<(isAlone ? lineStart : start)] + text[(isAlone ? lineEnd : end)...])
  }

  /// The labels of the blocks with a name.
  ///
  /// - Throws: as ``reading(of:)`` does.
  static func labels(of name: String, in text: [UInt8]) throws(ConfigurationFault) -> [String] {
    try statements(of: text).compactMap { label($0, text, name) }
  }

  /// The label in the quotes of a block with this name.
  private static func label(
    _ statement: [Range<Int>], _ text: [UInt8], _ name: String = "credentials_helper"
  ) -> String? {
    guard statement.count > 1 else { return nil }
    let word = text.string(statement[0])
    guard word == name || word == "\"\(name)\"" else { return nil }
    return text.string(statement[1]).filter { $0 != "\"" }
  }

  /// The words of each top-level statement, up to the end of its block or line.
  ///
  /// - Throws: ``ConfigurationFault`` if something isn't closed at the end, or where terraform takes a character
  ///   otherwise than people see it.
  private static func statements(of text: [UInt8]) throws(ConfigurationFault) -> [[Range<Int>]] {
    if text.starts(with: [0xef, 0xbb, 0xbf]) { throw ConfigurationFault("it begins with a byte order mark") }
    if text.hasLoneCarriageReturn { throw ConfigurationFault("it has a line that ends with CR alone") }
    var statements: [[Range<Int>]] = []
    var words: [Range<Int>] = []
    var depth = 0
    var position = 0
    func end(of mark: String, from start: Int) throws(ConfigurationFault) -> Int {
      let mark = Array(mark.utf8)
      var index = start
      while index + mark.count <= text.count {
        if text[index...].starts(with: mark) { return index + mark.count }
        index += 1
      }
      throw ConfigurationFault("a block, string or comment isn't closed")
    }
    while position < text.count {
      let start = position
      let byte = text[position]
      let rest = text[position...]
      if byte == 0x0a, depth == 0, !words.isEmpty {
        statements.append(words)
        words = []
        position += 1
      } else if isWhiteSpace(byte) {
        position += 1
      } else if byte == UInt8(ascii: "#") || rest.starts(with: Array("//".utf8)) {
        position = rest.firstIndex(of: 0x0a) ?? text.count
      } else if rest.starts(with: Array("/*".utf8)) {
        position = try end(of: "*/", from: position + 2)
      } else if rest.starts(with: Array("<<".utf8)) {
        throw ConfigurationFault("it has a string over several lines")
      } else if byte == UInt8(ascii: "\"") {
        position += 1
        while position < text.count, text[position] != byte, text[position] != 0x0a {
          position += text[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard position < text.count, text[position] == byte else {
          throw ConfigurationFault("a block, string or comment isn't closed")
        }
        position += 1
        words.append(start..<position)
      } else if "{}[]".utf8.contains(byte) {
        position += 1
        words.append(start..<position)
        depth += "{[".utf8.contains(byte) ? 1 : -1
        if depth < 0 { throw ConfigurationFault("a bracket is closed that wasn't opened") }
        if depth == 0, byte == UInt8(ascii: "}") {
          statements.append(words)
          words = []
        }
      } else if "=,".utf8.contains(byte) {
        position += 1
        words.append(start..<position)
      } else {
        while position < text.count, !isWhiteSpace(text[position]), !"{}[]=,\"#".utf8.contains(text[position])
        {
          position += 1
        }
        words.append(start..<position)
      }
    }
    if depth > 0 { throw ConfigurationFault("a block, string or comment isn't closed") }
    if !words.isEmpty { statements.append(words) }
    return statements
  }
}
