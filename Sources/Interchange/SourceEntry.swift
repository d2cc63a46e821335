import Bytes
import Keychain

/// The name of a field in a source.
struct FieldName: Sendable {
  let name: ByteString
  /// The word for people, if it has no room in an item.
  fileprivate(set) var word: String
  /// The word for all of its parts, if there is one.
  fileprivate let wholeWord: String?
  /// The same without its parent field.
  fileprivate let ownWord: String
  /// Whether only the program needs the field, and fills it by itself: an identifier, a counter, an icon.
  let isBookkeeping: Bool
  /// Whether `0` and `false` mean that nobody has chosen anything.
  let isChoice: Bool

  /// Whether it is a person's word, which doesn't tell the field's meaning.
  let isPersons: Bool

  /// The tag for it, if a person has marked the entry with it.
  let mark: ByteString?

  init(_ name: ByteString) { self.init(name, partOf: nil) }

  /// - Parameters:
  ///   - whole: the word for its parent field, if it has none of its own.
  ///   - isPersons: whether it is a person's word for the field.
  init(_ name: ByteString, partOf whole: String?, isPersons: Bool = false) {
    self.name = name
    self.isPersons = isPersons
    let key = name.lowercased
    let known = Self.words.first { $0.names.contains(key) }?.word
    ownWord = known ?? "\(name)"
    wholeWord = known ?? whole
    word = wholeWord ?? ownWord
    isBookkeeping = !isPersons && Self.bookkeeping.contains(key)
    mark = isPersons ? nil : EntryMark.tag(ofField: key)
    isChoice = mark != nil || !isPersons && key == "icon"
  }

  fileprivate static let customFields = "custom fields"
  private static let words: [(names: [ByteString], word: String)] = [
    (["notes", "note"], "notes"), (["fields"], customFields),
    (["passwordhistory", "history"], "former passwords"), (["attachments", "files", "file"], "attachments"),
    (["totp", "login_totp", "otpauth", "one-time password", "otp", "hotp"], "one-time code"),
    (["fido2credentials", "passkey", "passkeys"], "passkey"), (["group"], "group"),
    ([""], "nameless column"),
  ]
  private static let bookkeeping: [ByteString] = [
    "guid", "icon", "id", "object", "organizationid", "passwordrevisiondate", "timelastused", "urichecksum",
  ]
}

/// The value of a field in the source.
enum FieldValue {
  case bytes(UnsafeRawBufferPointer)
  case csv(CSVField)
  case json(JSONValue)
  case xml(XMLElement)
  /// A part of another field that is only reported.
  case part

  /// The value, if it is confidential; `nil` if it isn't text.
  var secret: Secret? {
    switch self {
    case .bytes(let bytes): return Secret(copying: bytes)
    case .csv(let field): return field.secret
    case .json(let value):
      do throws(JSONReader.Malformed) { return try value.secret() } catch { return nil }
    case .xml(let element): return element.text.copy()
    case .part: return nil
    }
  }

  /// The same, or a number or a truth value as written.
  var scalar: Secret? {
    if case .json(let value) = self, value.kind == .number || value.kind == .bool {
      return Secret(copying: value.raw)
    }
    return secret
  }

  /// The value, if it is not confidential.
  var text: ByteString? { ByteString(scalar) }

  /// Whether it is empty. Decided without decoding it, because it may be confidential.
  func isNothing(asChoice isChoice: Bool) -> Bool {
    switch self {
    case .bytes(let bytes): bytes.isEmpty
    case .csv(let field):
      field.isEmpty || isChoice && (field.raw == "0" || field.text.isEqualIgnoringCase("false"))
    case .json(let value):
      value.kind == .null || value.raw == "\"\"" || value.raw == "[]" || value.raw == "{}"
        || value.raw == "false" || value.raw == "0"
    case .xml(let element): element.text.isEmpty
    case .part: false
    }
  }
}

/// An entry of a source, which hands out its fields.
///
/// A format takes the fields that go into an item. The rest has no room there: it is reported, and the entry stays in
/// its source. No format decides that for itself.
struct SourceEntry: ~Copyable {
  var origin: Origin
  let removals: [Removal]
  /// Whether it may be in the program's trash; this isn't certain.
  var mayBeDiscarded = false
  /// Whether it is part of a URL, which stays.
  var isInURL = false
  private var names: [FieldName]
  private var values: [FieldValue]
  private var states: [State]

  private enum State { case left, taken, bookkeeping }

  init(
    at origin: Origin, removals: [Removal] = [], _ names: [FieldName] = [], _ values: [FieldValue] = []
  ) {
    self.origin = origin
    self.removals = removals
    self.names = names
    self.values = values
    states = names.map { $0.isBookkeeping ? .bookkeeping : .left }
  }

  /// Adds a field.
  ///
  /// - Parameters:
  ///   - whole: the word for its parent field.
  ///   - isPersons: whether the name is a person's word for the field.
  mutating func add(
    _ name: ByteString, _ value: FieldValue, partOf whole: String? = nil, isPersons: Bool = false
  ) {
    let name = FieldName(name, partOf: whole, isPersons: isPersons)
    names.append(name)
    values.append(value)
    states.append(name.isBookkeeping ? .bookkeeping : .left)
  }

  /// Adds the members of an object. If the member `nested` is an object, its members take its place.
  ///
  /// - Throws: ``JSONReader/Malformed`` if it is no object, or has a member twice, which programs read differently.
  mutating func addMembers(
    of object: UnsafeRawBufferPointer, flattening nested: StaticString? = nil
  ) throws(JSONReader.Malformed) {
    var repeated = false
    try JSONReader.members(of: object) { (name, value) throws(JSONReader.Malformed) in
      if let nested, name == nested, value.kind == .object { return try addMembers(of: value.raw) }
      let name = try JSONValue.name(name)
      repeated = repeated || names.contains { $0.name == name }
      add(name, .json(value))
    }
    if repeated { throw JSONReader.Malformed() }
  }

  var isEmpty: Bool { values.indices.allSatisfy { isNothing($0) } }

  private func isNothing(_ index: Int) -> Bool {
    if names[index].isPersons, case .json(let value) = values[index],
      value.kind == .number || value.kind == .bool
    {
      return false
    }
    return values[index].isNothing(asChoice: names[index].isChoice)
  }

  /// The index of the first untaken field with one of these names that isn't empty.
  ///
  /// - Parameter part: the fields to search; `nil` for all.
  func index(of wanted: [ByteString], in part: Part? = nil) -> Int? {
    for name in wanted {
      let index = (part?.indices ?? names.indices).first {
        states[$0] != .taken && names[$0].name == name && !isNothing($0)
      }
      if let index { return index }
    }
    return nil
  }

  /// The field with an index, without taking it.
  func peek(at index: Int?) -> FieldValue? { index.map { values[$0] } }

  mutating func take(at index: Int?) -> FieldValue? {
    guard let index else { return nil }
    states[index] = .taken
    return values[index]
  }

  @discardableResult
  mutating func take(_ wanted: [ByteString]) -> FieldValue? { take(at: index(of: wanted)) }

  /// Leaves out a field that only the source's program needs.
  mutating func leaveToProgram(at index: Int) { states[index] = .bookkeeping }

  /// - Parameter part: the fields to search, in which one may be several times; `nil` for all, of which the first counts.
  mutating func leaveToProgram(_ wanted: ByteString..., in part: Part? = nil) {
    for name in wanted {
      let all = part?.indices.filter { states[$0] == .left && names[$0].name == name }
      for index in all ?? [index(of: [name])].compactMap({ $0 }) { leaveToProgram(at: index) }
    }
  }

  /// Takes a text that isn't confidential; may be empty.
  mutating func text(at index: Int?) -> ByteString {
    guard let index, let text = values[index].text else { return "" }
    states[index] = .taken
    return text
  }

  mutating func text(_ wanted: ByteString..., in part: Part? = nil) -> ByteString {
    text(at: index(of: wanted, in: part))
  }

  /// Takes the title of the entry, which is then its origin for people; may be empty.
  mutating func title(_ wanted: ByteString, in part: Part? = nil) -> ByteString {
    let title = text(wanted, in: part)
    if !title.isEmpty { origin = .entry(title) }
    return title
  }

  /// Takes a confidential text; may be empty.
  mutating func secret(at index: Int?) -> Secret {
    guard let index, case .some(let secret) = values[index].secret else { return Secret() }
    states[index] = .taken
    return secret
  }

  mutating func secret(_ wanted: ByteString..., in part: Part? = nil) -> Secret {
    secret(at: index(of: wanted, in: part))
  }

  /// Takes a date: a number since 1970, of which negative ones are ignored, or RFC 3339 with or without the time.
  mutating func date(at index: Int?, unit: CSVExport.DateUnit = .milliseconds) -> Timestamp? {
    guard let index, let text = values[index].text else { return nil }
    let number = text.text.flatMap { Int64($0) }.map { number in
      // Numbers beyond the year 5000 are milliseconds, as some versions of a program write.
      let unit = number > 100_000_000_000 ? .milliseconds : unit
      return number.multipliedReportingOverflow(by: unit.rawValue)
    }
    let date =
      number.map { $0.partialValue > 0 && !$0.overflow ? Timestamp(milliseconds: $0.partialValue) : nil }
      ?? Timestamp(rfc3339: text.bytes) ?? Timestamp(rfc3339: text.bytes + Array("T00:00:00Z".utf8))
    if date != nil || number != nil { states[index] = .taken }
    return date
  }

  mutating func date(_ wanted: ByteString...) -> Timestamp? { date(at: index(of: wanted)) }

  /// Takes the fields with this name that repeat the item's secret.
  mutating func takeRepeats(of secret: borrowing Secret, _ name: ByteString) {
    for index in names.indices where names[index].name == name && states[index] == .left {
      guard case .some(let value) = values[index].secret, value.isEqual(to: secret) else { continue }
      states[index] = .taken
    }
  }

  /// The untaken fields with one of these names that aren't empty.
  func indices(of wanted: [ByteString]) -> [Int] {
    names.indices.filter { states[$0] != .taken && wanted.contains(names[$0].name) && !isNothing($0) }
  }

  var untaken: [Int] { names.indices.filter { states[$0] == .left && !isNothing($0) } }

  // MARK: Fields within fields

  /// The fields from an object within the entry. Its other members are no fields.
  struct Part {
    let indices: Range<Int>
    /// Whether it was an object, and not another element of an array.
    let isObject: Bool

    static let empty = Part(indices: 0..<0, isObject: true)
  }

  /// Opens an object in a field: its members become fields of the entry, in its place.
  ///
  /// - Parameter arePersons: whether its names are a person's words.
  /// - Returns: its members; none if it is no object.
  /// - Throws: ``JSONReader/Malformed`` if it has a member twice.
  mutating func open(at index: Int?, arePersons: Bool = false) throws(JSONReader.Malformed) -> Part {
    guard let index, case .json(let value) = values[index], value.kind == .object else { return .empty }
    states[index] = .taken
    return try open(value, partOf: names[index].wholeWord, arePersons: arePersons)
  }

  mutating func open(_ wanted: ByteString..., in part: Part? = nil) throws(JSONReader.Malformed) -> Part {
    try open(at: index(of: wanted, in: part))
  }

  private mutating func open(
    _ object: JSONValue, partOf whole: String?, arePersons: Bool = false
  ) throws(JSONReader.Malformed) -> Part {
    let start = names.count
    var repeated = false
    try JSONReader.members(of: object.raw) { (name, value) throws(JSONReader.Malformed) in
      let name = try JSONValue.name(name)
      repeated = repeated || names[start...].contains { $0.name == name }
      add(name, .json(value), partOf: whole, isPersons: arePersons)
    }
    if repeated { throw JSONReader.Malformed() }
    return Part(indices: start..<names.count, isObject: true)
  }

  /// Opens an array in a field: each object in it becomes a part of its own, and every other element a field with the
  /// array's name.
  ///
  /// - Returns: its elements; none if it is no array.
  /// - Throws: ``JSONReader/Malformed`` if an object has a member twice.
  mutating func openElements(at index: Int?) throws(JSONReader.Malformed) -> [Part] {
    guard let index, case .json(let value) = values[index], value.kind == .array else { return [] }
    states[index] = .taken
    let name = names[index]
    var parts: [Part] = []
    try JSONReader.elements(of: value.raw) { (element) throws(JSONReader.Malformed) in
      if element.kind == .object {
        parts.append(try open(element, partOf: try word(of: element, in: name)))
      } else {
        add(name.name, .json(element))
        parts.append(Part(indices: names.count - 1..<names.count, isObject: false))
      }
    }
    return parts
  }

  /// The word for an element of an array; for a custom field, a person's word.
  private func word(of element: JSONValue, in array: FieldName) throws(JSONReader.Malformed) -> String? {
    guard array.wholeWord == FieldName.customFields else { return array.wholeWord }
    for name: StaticString in ["label", "name", "title", "t"] {
      if let label = try element.text(name).nonEmpty { return "custom field \(label)" }
    }
    return array.wholeWord
  }

  mutating func openElements(
    _ wanted: ByteString..., in part: Part? = nil
  ) throws(JSONReader.Malformed) -> [Part] { try openElements(at: index(of: wanted, in: part)) }

  /// Takes the texts in the array with one of these names, which aren't confidential.
  mutating func texts(
    _ wanted: ByteString..., in part: Part? = nil
  ) throws(JSONReader.Malformed) -> [ByteString] {
    try openElements(at: index(of: wanted, in: part)).compactMap { text(at: $0.indices.first).nonEmpty }
  }

  /// Opens all objects and arrays below a field, and takes all their values, each with the names that lead to it.
  mutating func takeLeaves(
    at index: Int, as name: ByteString, into login: inout LoginEntry,
    _ body: (inout LoginEntry, _ name: ByteString, consuming Secret) -> Void
  ) throws(JSONReader.Malformed) {
    guard states[index] == .left, !isNothing(index), case .json(let value) = values[index] else { return }
    func member(_ index: Int) -> ByteString { ByteString(name.bytes + [0x20] + names[index].name.bytes) }
    switch value.kind {
    case .object:
      for index in try open(at: index, arePersons: true).indices {
        try takeLeaves(at: index, as: member(index), into: &login, body)
      }
    case .array:
      for element in try openElements(at: index) {
        for index in element.indices {
          try takeLeaves(at: index, as: element.isObject ? member(index) : name, into: &login, body)
        }
      }
    default:
      guard case .some(let text) = values[index].scalar else { return }
      states[index] = .taken
      body(&login, name, text)
    }
  }

  var named: [Int] { names.indices.filter { states[$0] == .left && names[$0].isPersons } }

  func name(at index: Int) -> ByteString { names[index].name }

  /// Names an untaken part.
  mutating func name(_ part: Part, _ name: ByteString) {
    let word = FieldName(name).word
    for index in part.indices { names[index].word = word }
  }

  /// The untaken marks, and their tags.
  var marks: [(index: Int, tag: ByteString)] {
    var marks: [(Int, ByteString)] = []
    for index in names.indices {
      guard let tag = names[index].mark, states[index] == .left, !isNothing(index) else { continue }
      marks.append((index, tag))
    }
    return marks
  }

  /// Takes a date: seconds or milliseconds since 1970, or RFC 3339.
  mutating func date(inSeconds wanted: ByteString..., in part: Part? = nil) -> Timestamp? {
    date(at: index(of: wanted, in: part), unit: .seconds)
  }

  /// The untaken fields, in a few words each.
  var leftBehind: [String] {
    var words: [String] = []
    for index in names.indices where states[index] == .left && !isNothing(index) {
      if !words.contains(names[index].word) { words.append(names[index].word) }
    }
    return words
  }

  /// The fields left out because only the source's program needs them.
  var bookkeeping: [String] {
    names.indices.filter { states[$0] == .bookkeeping && !isNothing($0) }.map { names[$0].ownWord }
  }
}
