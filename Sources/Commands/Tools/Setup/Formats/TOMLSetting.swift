import Bytes
import Interchange

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

  func block(named name: String) -> MarkedBlock { MarkedBlock(name: name, isFirst: path.count == 1) }

  func reading(of text: [UInt8]) throws(ConfigurationFault) -> ConfigurationReading {
    let file = try TOMLDocument(strictly: text)
    var reading = ConfigurationReading()
    for entry in file.entries {
      if entry.path == keys {
        let value = Self.shown(entry, text)
        reading.setting = [.init(value: value, line: line(value))]
        // Other elements belong to somebody else.
        for element in entry.elements ?? [] where isKept(TOMLDocument.string(text, element)) {
          reading.others.append(.init(name: entry.path.map(\.bytes), value: Array(text[element])))
        }
      } else if !entry.isTable {
        reading.others.append(.init(name: entry.path.map(\.bytes), value: Array(text[entry.value])))
      }
    }
    return reading
  }

  func isMade(in text: [UInt8]) throws(ConfigurationFault) -> Bool {
    guard let present = try TOMLDocument(strictly: text).entry(keys) else { return false }
    guard case .element(let own, _) = value else {
      return Self.strings(present, text) == all && (present.elements != nil) == isList
    }
    let elements = (present.elements ?? []).map { TOMLDocument.string(text, $0) }
    return elements.contains(own) && !elements.contains(where: isFormer)
  }

  func lines(for base: [UInt8], like text: [UInt8]) throws(ConfigurationFault) -> [String] {
    (path.count > 1 ? ["[\(table)]"] : []) + [try ownLine(in: text)]
  }

  func leftToPerson(in text: [UInt8]) throws(ConfigurationFault) -> ByHand? {
    let file = try TOMLDocument(strictly: text)
    let own = try ownLine(in: text)
    if let present = file.entry(keys) {
      let (first, last) = (text.line(of: present.value.lowerBound), text.line(of: present.value.upperBound))
      let place = first == last ? "line \(first)" : "lines \(first) to \(last)"
      return ByHand([own], "in place of \(place)", because: path[path.count - 1])
    }
    let parent = Array(keys.dropLast())
    if let header = file.tables.first(where: { $0.path == parent && !$0.isElement })?.header {
      return ByHand([own], "below line \(text.line(of: header.lowerBound))", because: "[\(table)]")
    }
    guard let inside = file.entries.first(where: { $0.path.starts(with: parent) }) else { return nil }
    // `[registry]` in braces, or by keys with dots.
    let place = "into the table \(table) of line \(inside.line)"
    return inside.path == parent && !inside.isTable ? nil : ByHand([own], place, because: table)
  }

  // MARK: The value

  private var keys: TOMLDocument.Path { path.map { ByteString($0) } }
  private var table: String { path.dropLast().joined(separator: ".") }

  private var all: [String] {
    switch value {
    case .string(let text): [text]
    case .strings(let texts): texts
    case .element(let text, let others): others + [text]
    }
  }

  private var isList: Bool {
    if case .string = value { false } else { true }
  }

  private func line(_ value: String) -> String { "\(path[path.count - 1]) = \(value)" }

  /// The line for a text, whose list may have other elements.
  private func ownLine(in text: [UInt8]) throws(ConfigurationFault) -> String {
    guard case .element(let own, _) = value, let present = try TOMLDocument(strictly: text).entry(keys) else {
      return line(isList ? Self.list(all) : Self.quoted(all[0]))
    }
    guard present.elements != nil, let now = Self.strings(present, text) else {
      throw ConfigurationFault("\(path.joined(separator: ".")) is not a list of strings")
    }
    return line(Self.list(now.filter { $0 != own && !isFormer($0) } + [own]))
  }

  private static func list(_ texts: [String]) -> String {
    "[" + texts.map(quoted).joined(separator: ", ") + "]"
  }

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
    return entry.elements == nil ? strings[0] : list(strings)
  }

  /// Whether an element stays when the setting is made or undone.
  private func isKept(_ element: String?) -> Bool {
    guard case .element(let own, let others) = value else { return false }
    guard let element else { return true }
    return element != own && !others.contains(element) && !isFormer(element)
  }

  /// Whether an element is llavero at another path, which gives way to the right one.
  private func isFormer(_ element: String?) -> Bool {
    guard case .element(let own, _) = value, let element, element != own else { return false }
    return NamedPath.isLlavero(element) || ProgramLinks.all.contains(element)
  }
}
