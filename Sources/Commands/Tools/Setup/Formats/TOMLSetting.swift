import Bytes
import TextFormats

/// A key of a TOML file, at the top level or in a table: those of cargo, podman and uv.
struct TOMLSetting: ConfigurationFormat {
  enum Value: Sendable {
    case string(String)
    case strings([String])
    /// An element of an array. If the array doesn't exist, it is made with other elements too.
    case element(String, of: [String])
  }

  /// The tables that contain it, and the key.
  let path: [String]
  let value: Value

  init(_ path: String..., is value: Value) {
    self.path = path
    self.value = value
  }

  var name: String { path.joined(separator: ".") }

  var byHand: [String] {
    (path.count > 1 ? ["[\(path.dropLast().joined(separator: "."))]"] : []) + [line]
  }

  func shown(_ value: String) -> String { "\(path[path.count - 1]) = \(value)" }

  func isFormerLine(_ line: String) -> Bool {
    if case .element(let own, _) = value, line.hasPrefix(shown("")), line.hasPart("\"\(own)\"") {
      return true
    }
    return byHand.contains(line)
  }

  func reading(of text: [UInt8]) throws(ConfigurationFault) -> ConfigurationReading {
    let file = try TOMLDocument(strictly: text)
    var reading = ConfigurationReading()
    for entry in file.entries {
      if entry.path == keys {
        reading.setting = [Self.shown(entry, text)]
        // Other elements belong to somebody else.
        for element in entry.elements ?? [] where isKept(text, element) {
          reading.others.append(.init(name: entry.path.map(\.bytes), value: Array(text[element])))
        }
      } else if !entry.isTable {
        reading.others.append(.init(name: entry.path.map(\.bytes), value: Array(text[entry.value])))
      }
    }
    return reading
  }

  func proposal(for text: [UInt8]) throws(ConfigurationFault) -> [TextEdit] {
    let file = try TOMLDocument(strictly: text)
    if let present = file.entry(keys) { return try changing(present, text) }
    let parent = Array(keys.dropLast())
    if parent.isEmpty { return [inserting(line, at: file.rootEnd, text)] }
    if let table = file.tables.first(where: { $0.path == parent }) {
      if table.isElement { throw ConfigurationFault("it has an array of tables [[\(parentName)]]") }
      return [inserting(line, at: table.end, text)]
    }
    if let inline = file.entry(parent) {
      guard case .table(let isEmpty) = inline.form else {
        throw ConfigurationFault("\(parentName) is not a table")
      }
      let member = " " + line + (isEmpty ? " " : ",")
      return [.insertion(of: Array(member.utf8), at: inline.value.lowerBound + 1)]
    }
    // A table that was defined by keys with dots can't have a header.
    if let dotted = file.entries.last(where: {
      $0.lines != nil && $0.tableDepth < parent.count && $0.path.count > parent.count
        && $0.path.starts(with: parent)
    }), let lines = dotted.lines {
      let prefix = path[dotted.tableDepth...].dropLast().map { $0 + "." }.joined()
      return [inserting(prefix + line, at: lines.upperBound, text)]
    }
    let end = text.lineEnd
    let before = (text.isEmpty || text.last == 0x0a ? [] : end) + (text.isEmpty ? [] : end)
    return [
      .insertion(of: before + Array("[\(parentName)]".utf8) + end + Array(line.utf8) + end, at: text.count)
    ]
  }

  func undoing(_ edit: TextEdit, in text: [UInt8]) throws(ConfigurationFault) -> [UInt8]? {
    guard let present = try TOMLDocument(strictly: text).entry(keys) else { return nil }
    let now = Self.strings(present, text)
    if case .element(let own, _) = value {
      guard let elements = present.elements, let now, let index = now.firstIndex(of: own) else { return nil }
      // The key was added, and still has exactly the elements it was added with.
      let isAsMade = now == all && edit.added.contains(UInt8(ascii: "="))
      if !isAsMade { return removing(index, of: elements, text) }
    } else {
      guard now == all else { return nil }
      if !edit.removed.isEmpty {
        return TextEdit.replacement(of: present.value, in: text, with: edit.removed).applied(to: text)
      }
    }
    guard let lines = present.lines else { return nil }
    var result = text
    result.removeSubrange(lines)
    return result
  }

  // MARK: The value

  private var keys: TOMLDocument.Path { path.map { ByteString($0) } }
  private var parentName: String { path.dropLast().joined(separator: ".") }

  private var all: [String] {
    switch value {
    case .string(let text): [text]
    case .strings(let texts): texts
    case .element(let text, let others): others + [text]
    }
  }

  private var written: String {
    if case .string(let text) = value { return Self.quoted(text) }
    return "[" + all.map(Self.quoted).joined(separator: ", ") + "]"
  }

  private var line: String { shown(written) }

  private static func quoted(_ text: String) -> String {
    "\"\(text.replacingPart("\\", with: "\\\\").replacingPart("\"", with: "\\\""))\""
  }

  /// The strings that the value is or contains; `nil` if it is or contains anything else.
  private static func strings(_ entry: TOMLDocument.Entry, _ text: [UInt8]) -> [String]? {
    let ranges = entry.elements ?? [entry.value]
    let strings = ranges.compactMap { TOMLDocument.string(text, $0) }
    return strings.count == ranges.count ? strings : nil
  }

  private static func shown(_ entry: TOMLDocument.Entry, _ text: [UInt8]) -> String {
    guard let strings = strings(entry, text) else { return "something else" }
    return entry.elements == nil ? strings[0] : "[" + strings.map(quoted).joined(separator: ", ") + "]"
  }

  /// Whether an element stays when the setting is made or undone.
  private func isKept(_ text: [UInt8], _ element: Range<Int>) -> Bool {
    guard case .element(let own, let others) = value else { return false }
    guard let string = TOMLDocument.string(text, element) else { return true }
    return string != own && !others.contains(string) && !isFormer(string)
  }

  /// Whether an element is llavero at another path, which gives way to the right one.
  private func isFormer(_ element: String?) -> Bool {
    guard case .element(let own, _) = value, let element, element != own else { return false }
    return NamedPath.isLlavero(element) || ProgramLinks.all.contains(element)
  }

  private func changing(_ present: TOMLDocument.Entry, _ text: [UInt8]) throws(ConfigurationFault)
    -> [TextEdit]
  {
    let now = Self.strings(present, text)
    guard case .element(let own, _) = value else {
      var isList = true
      if case .string = value { isList = false }
      if now == all, (present.elements != nil) == isList { return [] }
      return [.replacement(of: present.value, in: text, with: Array(written.utf8))]
    }
    let isThere = present.elements?.contains { TOMLDocument.string(text, $0) == own } ?? false
    let formers = present.elements?.indices.filter { index in
      isFormer(present.elements.flatMap { TOMLDocument.string(text, $0[index]) })
    }
    if isThere, formers?.isEmpty ?? true { return [] }
    guard let elements = present.elements, let formers, now != nil else {
      throw ConfigurationFault("\(name) is not a list of strings")
    }
    if let last = formers.last, isThere || formers.count > 1 {
      let edit = TextEdit.replacement(of: Self.range(of: last, of: elements, text), in: text, with: [])
      return [edit] + (try proposal(for: edit.applied(to: text)))
    }
    if let former = formers.first {
      return [.replacement(of: elements[former], in: text, with: Array(Self.quoted(own).utf8))]
    }
    if let last = elements.last {
      return [.insertion(of: Array(", \(Self.quoted(own))".utf8), at: last.upperBound)]
    }
    return [.insertion(of: Array(Self.quoted(own).utf8), at: present.value.lowerBound + 1)]
  }

  /// The text without one of the elements.
  private func removing(_ index: Int, of elements: [Range<Int>], _ text: [UInt8]) -> [UInt8] {
    var result = text
    result.removeSubrange(Self.range(of: index, of: elements, text))
    return result
  }

  /// Where one of the elements is, with a comma that belongs to it.
  private static func range(of index: Int, of elements: [Range<Int>], _ text: [UInt8]) -> Range<Int> {
    var range = elements[index]
    if index > 0 {
      let between = text[elements[index - 1].upperBound..<range.lowerBound]
      // A comment in between may contain commas too, but comes after the one that counts.
      if let comma = between.firstIndex(of: UInt8(ascii: ",")),
        Array(text[(comma + 1)..<range.lowerBound]).isBlank
      {
        range = comma..<range.upperBound
      }
    } else if index + 1 < elements.count {
      let between = text[range.upperBound..<elements[index + 1].lowerBound]
      if let comma = between.firstIndex(of: UInt8(ascii: ",")) { range = range.lowerBound..<comma + 1 }
    }
    return range
  }

  private func inserting(_ line: String, at position: Int, _ text: [UInt8]) -> TextEdit {
    let needsEnd =
      position > 0 && position == text.count && text.last != 0x0a && !text.starts(with: [0xef, 0xbb, 0xbf])
    return .insertion(of: (needsEnd ? text.lineEnd : []) + Array(line.utf8) + text.lineEnd, at: position)
  }
}
