import Bytes
import Interchange

/// A string member of a JSON file's object, read as Go reads it: names are compared without regard to case. The rest
/// of the file keeps its form, and is never shown, because these files may contain passwords.
struct JSONMember: ConfigurationFormat {
  /// Needs no escapes.
  let name: String
  /// Needs no escapes.
  let value: String

  private func shown(_ value: String) -> String { "\"\(name)\": \"\(value)\"" }

  func reading(of text: [UInt8]) throws(ConfigurationFault) -> ConfigurationReading {
    let members = try members(of: text)
    return ConfigurationReading(
      setting: try present(members).map { [.init(value: $0.text, line: shown($0.text))] } ?? [],
      others: members.filter { !isOurs($0) }.map { .init(name: [$0.name], value: Array(text[$0.value])) })
  }

  func isMade(in text: [UInt8]) throws(ConfigurationFault) -> Bool {
    try present(try members(of: text))?.text == value
  }

  func lines(for base: [UInt8], like text: [UInt8]) -> [String] { [shown(value)] }

  func proposal(
    for text: [UInt8], like present: [UInt8], in block: MarkedBlock
  ) throws(ConfigurationFault) -> TextEdit? {
    let member = Array(shown(value).utf8)
    let end = text.lineEnd
    if text.isBlank {
      let tab = end + [0x09]
      let object = Array("{".utf8) + tab + member + end + Array("}".utf8) + end
      return TextEdit(replacing: 0..<text.count, of: text, with: object)
    }
    let members = try members(of: text)
    if let member = try self.present(members)?.member {
      return TextEdit(replacing: member.value, of: text, with: Array("\"\(value)\"".utf8))
    }
    guard let brace = text.firstIndex(of: UInt8(ascii: "{")) else { return nil }
    // Insert it as the first member, indented like the former first one.
    let next = brace + 1
    let space = Array(text[next...].prefix(while: isWhiteSpace))
    if members.isEmpty {
      let object = Array("{".utf8) + end + [0x09] + member + end + Array("}".utf8)
      return TextEdit(replacing: brace..<next + space.count + 1, of: text, with: object)
    }
    return TextEdit(offset: next, removed: [], added: space + member + [UInt8(ascii: ",")])
  }

  func undoing(
    _ edit: TextEdit, in text: [UInt8], _ block: MarkedBlock
  ) throws(ConfigurationFault) -> [UInt8]? {
    guard let (present, member) = try present(try members(of: text)), present == value else { return nil }
    if edit.removed.first == UInt8(ascii: "\"") {
      return TextEdit(replacing: member.value, of: text, with: edit.removed).applied(to: text)
    }
    var (start, end) = (member.start, member.value.upperBound)
    while isWhiteSpace(text[end]) { end += 1 }
    if text[end] == UInt8(ascii: ",") {
      end += 1
      while isWhiteSpace(text[end]) { end += 1 }
    } else {
      end = member.value.upperBound
      while isWhiteSpace(text[start - 1]) { start -= 1 }
      if text[start - 1] == UInt8(ascii: ",") { start -= 1 }
    }
    return Array(text[..<start] + text[end...])
  }

  private struct Member {
    let name: [UInt8]
    /// The position of the name's opening quote.
    let start: Int
    let value: Range<Int>
    let text: String?
  }

  private func isOurs(_ member: Member) -> Bool {
    member.name.lowercased.elementsEqual(name.lowercased().utf8)
  }

  private func present(_ members: [Member]) throws(ConfigurationFault) -> (text: String, member: Member)? {
    let present = members.filter(isOurs)
    guard let member = present.first else { return nil }
    if present.count > 1 { throw ConfigurationFault("it has \(name) twice") }
    guard let text = member.text else { throw ConfigurationFault("\(name) is not a string") }
    return (text, member)
  }

  private func members(of text: [UInt8]) throws(ConfigurationFault) -> [Member] {
    if text.isBlank { return [] }
    do throws(JSONReader.Malformed) {
      return try Secret(copying: ByteString(text)).withUnsafeBytes {
        (bytes) throws(JSONReader.Malformed) -> [Member] in
        var members: [Member] = []
        try JSONReader.members(of: bytes) { (name, value) throws(JSONReader.Malformed) in
          guard let base = bytes.baseAddress, let nameStart = name.baseAddress,
            let valueStart = value.raw.baseAddress
          else { return }
          let start = valueStart - base
          let decoded = try JSONValue.name(name).bytes
          members.append(
            Member(
              name: decoded, start: nameStart - base - 1, value: start..<start + value.raw.count,
              text: value.kind == .string && decoded.lowercased.elementsEqual(self.name.lowercased().utf8)
                ? "\(try value.string())" : nil))
        }
        return members
      }
    } catch {
      throw ConfigurationFault("it is not the JSON that its tool reads")
    }
  }
}
