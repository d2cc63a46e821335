import Bytes
import JSON

/// A string member of the object that a JSON file is. What stands around it keeps its form, and is never shown, for
/// these files may have passwords in them.
struct JSONMember: ConfigurationFormat {
  /// Its name, which needs no escapes.
  let name: String
  /// Its value, which needs no escapes.
  let value: String

  func current(in text: [UInt8]) throws(ConfigurationFault) -> String? {
    try find(in: text)?.value
  }

  func setting(in text: [UInt8]) throws(ConfigurationFault) -> [UInt8] {
    try replacing(in: text, with: value)
  }

  func unsetting(in text: [UInt8], before: [UInt8]) throws(ConfigurationFault) -> [UInt8]? {
    if text == (try setting(in: before)) { return before }
    guard let present = try find(in: text), present.value == value else { return nil }
    // The tool has written its file anew since.
    if let former = try find(in: before) { return try replacing(in: text, with: former.value) }
    var (start, end) = (present.range.lowerBound, present.range.upperBound)
    func isSpace(_ index: Int) -> Bool { [0x20, 0x09, 0x0a, 0x0d].contains(text[index]) }
    while isSpace(end) { end += 1 }
    if text[end] == UInt8(ascii: ",") {
      end += 1
      while isSpace(end) { end += 1 }
    } else {
      end = present.range.upperBound
      while isSpace(start - 1) { start -= 1 }
      if text[start - 1] == UInt8(ascii: ",") { start -= 1 }
    }
    return Array(text[..<start] + text[end...])
  }

  func change(from before: [UInt8]) throws(ConfigurationFault) -> (removed: [String], added: [String]) {
    let former = try find(in: before)?.value
    if former == value { return ([], []) }
    return (former.map { ["\"\(name)\": \"\($0)\""] } ?? [], ["\"\(name)\": \"\(value)\""])
  }

  private func replacing(in text: [UInt8], with value: String) throws(ConfigurationFault) -> [UInt8] {
    let member = Array("\"\(name)\": \"\(value)\"".utf8)
    if text.allSatisfy({ [0x20, 0x09, 0x0a, 0x0d].contains($0) }) {
      return Array("{\n\t".utf8) + member + Array("\n}\n".utf8)
    }
    var text = text
    if let present = try find(in: text) {
      if present.value != value { text.replaceSubrange(present.range, with: member) }
      return text
    }
    guard let brace = text.firstIndex(of: UInt8(ascii: "{")) else { return text }
    // As the first member, indented like the one that was.
    let next = brace + 1
    let space = Array(text[next...].prefix { [0x20, 0x09, 0x0a, 0x0d].contains($0) })
    if text[next + space.count] == UInt8(ascii: "}") {
      text.replaceSubrange(next..<next + space.count, with: Array("\n\t".utf8) + member + Array("\n".utf8))
    } else {
      text.insert(contentsOf: space + member + [UInt8(ascii: ",")], at: next)
    }
    return text
  }

  /// The member's value, and where name and value stand.
  private func find(in text: [UInt8]) throws(ConfigurationFault) -> (value: String, range: Range<Int>)? {
    var found: (value: String, range: Range<Int>)?
    do throws(JSONReader.Malformed) {
      found = try Secret(copying: ByteString(text)).withUnsafeBytes {
        (bytes) throws(JSONReader.Malformed) -> (value: String, range: Range<Int>)? in
        var found: (value: String, range: Range<Int>)?
        if bytes.allSatisfy({ [0x20, 0x09, 0x0a, 0x0d].contains($0) }) { return nil }
        try JSONReader.members(of: bytes) { (name, value) throws(JSONReader.Malformed) in
          guard name.elementsEqual(self.name.utf8), let base = bytes.baseAddress,
            let nameStart = name.baseAddress, let valueStart = value.raw.baseAddress
          else { return }
          let start = nameStart - base - 1
          found = ("\(try value.string())", start..<(valueStart - base) + value.raw.count)
        }
        return found
      }
    } catch {
      throw ConfigurationFault("it is not the JSON that its tool reads")
    }
    return found
  }
}
