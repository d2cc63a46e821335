import Bytes

/// The form of the settings for llavero in the text of a tool's configuration. Works on bytes alone.
protocol ConfigurationFormat: Sendable {
  /// The tool's own command, for a text in which separate lines would be misread.
  var command: OwnCommand? { get }

  func block(named name: String) -> MarkedBlock

  /// The settings that the tool reads in the text, by its own rules.
  ///
  /// - Throws: ``ConfigurationFault`` if the tool would reject the text, or its reading is unclear.
  func reading(of text: [UInt8]) throws(ConfigurationFault) -> ConfigurationReading

  /// The lines of the format's own settings that are in the text, for people, even those that others overrule.
  func ownLines(in text: [UInt8]) throws(ConfigurationFault) -> [String]

  /// Whether the text has the settings, whoever wrote them.
  ///
  /// - Throws: ``ConfigurationFault`` if the text is invalid.
  func isMade(in text: [UInt8]) throws(ConfigurationFault) -> Bool

  /// The lines for the settings.
  ///
  /// - Parameters:
  ///   - base: the text without llavero's lines.
  ///   - text: the text as it is, with any parts of former lines to keep.
  /// - Throws: ``ConfigurationFault`` if something in the text excludes them.
  func lines(for base: [UInt8], like text: [UInt8]) throws(ConfigurationFault) -> [String]

  /// An edit of `base` that makes the settings, still unchecked.
  ///
  /// - Returns: `nil` if only the tool's own command makes one.
  /// - Throws: as ``lines(for:like:)`` does.
  func proposal(
    for base: [UInt8], like text: [UInt8], in block: MarkedBlock
  ) throws(ConfigurationFault) -> TextEdit?

  /// A person's alternative if neither the edit nor the command works; `nil` if there is none.
  func leftToPerson(in text: [UInt8]) throws(ConfigurationFault) -> ByHand?

  /// The text without an edit, in case the tool has rewritten the text since; still unchecked.
  ///
  /// - Returns: `nil` if the text no longer has the settings.
  func undoing(
    _ edit: TextEdit, in text: [UInt8], _ block: MarkedBlock
  ) throws(ConfigurationFault) -> [UInt8]?
}

struct ConfigurationReading: Equatable {
  struct Setting: Hashable {
    /// For people.
    let value: String
    /// As in the configuration.
    let line: String
  }

  /// A setting other than the format's own.
  struct Entry: Hashable {
    /// The section and the key.
    let name: [[UInt8]]
    let value: [UInt8]
  }

  /// The format's own settings, as far as they are there.
  var setting: [Setting] = []
  /// In order.
  var others: [Entry] = []

  /// For people; `nil` if there are no values.
  var current: String? { setting.isEmpty ? nil : setting.map(\.value).joined(separator: ", ") }
  var namesLlavero: Bool { setting.contains { $0.value.hasPart("llavero") } }
}

/// Why a setting can't be written, in lowercase without a full stop. It contains only names from the text.
struct ConfigurationFault: Error, Hashable {
  let reason: String
  /// The lines for this text, if they differ from the usual ones.
  let byHand: [String]?

  init(_ reason: String, byHand: [String]? = nil) {
    self.reason = reason
    self.byHand = byHand
  }
}

/// A change left to a person, because its place is taken.
struct ByHand: Hashable {
  /// In lowercase without a full stop.
  let reason: String
  /// What to do, with the exact line to write, and where.
  let instruction: String

  /// Lines to write in a place, such as `below line 3`, beside something that is there already.
  init(_ lines: [String], _ place: String, because present: String) {
    reason = "it has \(present) already"
    instruction =
      "write this \(place): " + lines.map { $0.filter { $0 != "\t" } }.joined(separator: ", then ")
  }

  init(reason: String, instruction: String) {
    self.reason = reason
    self.instruction = instruction
  }
}

extension ConfigurationFormat {
  var command: OwnCommand? { nil }

  func ownLines(in text: [UInt8]) throws(ConfigurationFault) -> [String] {
    try reading(of: text).setting.map(\.line)
  }

  func block(named name: String) -> MarkedBlock { MarkedBlock(name: name) }

  func proposal(
    for base: [UInt8], like text: [UInt8], in block: MarkedBlock
  ) throws(ConfigurationFault) -> TextEdit? {
    block.insertion(of: try lines(for: base, like: text), in: base)
  }

  func leftToPerson(in text: [UInt8]) throws(ConfigurationFault) -> ByHand? { nil }

  func undoing(
    _ edit: TextEdit, in text: [UInt8], _ block: MarkedBlock
  ) throws(ConfigurationFault) -> [UInt8]? {
    let result = block.removing(edit.added, from: text)
    if isWithout(result, text) { return result }
    // Something else is below a header of llavero's.
    return block.removing(edit.added, from: text, keepsHeaders: true)
  }

  /// The lines that people would write by hand into an empty file.
  var byHand: [String] { (try? lines(for: [], like: [])) ?? [] }

  /// How to put the settings into a text without them: by an edit, whose result has been read back, or by hand.
  ///
  /// - Parameters:
  ///   - base: the text without llavero's lines.
  ///   - text: the text as it is.
  ///   - run: makes the tool's own command change `base`; `nil` if it fails.
  /// - Throws: ``ConfigurationFault`` if the text is invalid, or can't be changed safely.
  func change(
    of base: [UInt8], like text: [UInt8], in block: MarkedBlock, running run: (OwnCommand) -> [UInt8]?
  ) throws(ConfigurationFault) -> (edit: TextEdit?, byHand: ByHand?) {
    let before = try reading(of: base)
    func makes(_ edit: TextEdit) -> Bool {
      let result = edit.applied(to: base)
      guard let after = try? reading(of: result), after.others == before.others else { return false }
      return (try? isMade(in: result)) ?? false
    }
    if let edit = try proposal(for: base, like: text, in: block), makes(edit) { return (edit, nil) }
    if let command, let written = run(command) {
      // Text that the command reformats is lost, and may be a password, which must not get into the record.
      let edit = TextEdit(from: base, to: written)
      let gone = edit.removed.string(0..<edit.removed.count)
      let isOwn =
        !gone.contains { $0.isLetter || $0.isNumber } || before.setting.contains { $0.value.hasPart(gone) }
      if isOwn, !edit.removed.contains(0x0a), makes(edit) { return (edit, nil) }
    }
    if let byHand = try leftToPerson(in: text) { return (nil, byHand) }
    throw ConfigurationFault("the line can't be added without changing how the rest is read")
  }

  /// The text without the edit: the exact former bytes if the edited part is unchanged, otherwise a text that the tool
  /// reads in the same way.
  ///
  /// - Returns: `nil` if it is unclear what to remove.
  func undone(
    _ edit: TextEdit, in text: [UInt8], _ block: MarkedBlock
  ) throws(ConfigurationFault) -> [UInt8]? {
    for result in [edit.undone(in: text), edit.undoneElsewhere(in: text)] {
      if let result, isWithout(result, text) { return result }
    }
    return try undoing(edit, in: text, block).flatMap { isWithout($0, text) ? $0 : nil }
  }

  /// Whether a text reads like another, except for the settings.
  func isWithout(_ result: [UInt8], _ text: [UInt8]) -> Bool {
    guard let before = try? reading(of: text), let after = try? reading(of: result) else { return false }
    return before.others == after.others
      && (before.setting != after.setting
        || (result != text || !after.namesLlavero) && (try? isMade(in: result)) == false)
  }
}
