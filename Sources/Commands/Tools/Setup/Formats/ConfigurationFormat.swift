/// How one setting is written in the text of a tool's configuration. Pure over bytes.
protocol ConfigurationFormat: Sendable {
  /// What the setting is called in a record of what was done; the same in every version.
  var name: String { get }

  /// The lines that a person would write.
  var byHand: [String] { get }

  /// What the tool reads in the text, by its own rules.
  ///
  /// - Throws: ``ConfigurationFault`` if the tool would refuse the text, or it can't be told what it reads.
  func reading(of text: [UInt8]) throws(ConfigurationFault) -> ConfigurationReading

  /// What makes the setting, each in the text that the one before it has left; none if it is made. Nobody has checked
  /// yet what becomes of the text.
  ///
  /// - Throws: ``ConfigurationFault`` if the text can't be understood, or has something that excludes the setting.
  func proposal(for text: [UInt8]) throws(ConfigurationFault) -> [TextEdit]

  /// The text without what an edit has made, where the tool has written it anew since. Nobody has checked it yet.
  ///
  /// - Returns: `nil` if what was set isn't in the text any more.
  func undoing(_ edit: TextEdit, in text: [UInt8]) throws(ConfigurationFault) -> [UInt8]?

  /// A value of the setting, as it stands in the configuration.
  func shown(_ value: String) -> String

  /// Where the tool asks others all the same, for people.
  func exceptions(in text: [UInt8]) throws(ConfigurationFault) -> [String]

  /// Whether version 0.1.0 may have written a line, white space around it left out; never, where it changed lines in
  /// part.
  func isFormerLine(_ line: String) -> Bool

  /// The text without a setting that is none that anybody should go back to; most have none.
  func cleaned(_ text: [UInt8]) throws(ConfigurationFault) -> [UInt8]
}

/// What a tool reads in its configuration.
struct ConfigurationReading: Equatable {
  /// Anything but the setting.
  struct Entry: Hashable {
    /// The section, the key.
    let name: [[UInt8]]
    let value: [UInt8]
  }

  /// What the setting says, for people; none if it isn't there.
  var setting: [String] = []
  /// All else, in order.
  var others: [Entry] = []
}

/// Why a setting can't be written, in small letters without a full stop; nothing of the text but names.
struct ConfigurationFault: Error, Hashable {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}

extension ConfigurationFormat {
  func cleaned(_ text: [UInt8]) throws(ConfigurationFault) -> [UInt8] { text }

  func exceptions(in text: [UInt8]) throws(ConfigurationFault) -> [String] { [] }

  func isFormerLine(_ line: String) -> Bool {
    byHand.contains { $0.filter { $0 != "\t" } == line }
  }

  /// What the text says now, for people; `nil` if it says nothing.
  ///
  /// - Throws: ``ConfigurationFault`` if the text can't be understood.
  func current(in text: [UInt8]) throws(ConfigurationFault) -> String? {
    let setting = try reading(of: text).setting
    return setting.isEmpty ? nil : setting.joined(separator: ", ")
  }

  /// What makes the setting; none if it is made. The result has been read back: it has the setting, and all else reads
  /// as it did.
  ///
  /// - Throws: ``ConfigurationFault`` if the text can't be understood, or can't be changed safely.
  func edits(for text: [UInt8]) throws(ConfigurationFault) -> [TextEdit] {
    let before = try reading(of: text)
    let edits = try proposal(for: text)
    if edits.isEmpty { return [] }
    let result = edits.applied(to: text)
    do throws(ConfigurationFault) {
      let after = try reading(of: result)
      if after.others == before.others, try proposal(for: result).isEmpty { return edits }
    } catch {}
    throw ConfigurationFault("the line can't be added without changing how the rest is read")
  }

  /// The text with the setting, and all else as it was. The same text if it has the setting.
  ///
  /// - Throws: as ``edits(for:)`` does.
  func setting(in text: [UInt8]) throws(ConfigurationFault) -> [UInt8] {
    try edits(for: text).applied(to: text)
  }

  /// The text without what was made: the very bytes of before where it is as it was left, else what the tool reads
  /// alike.
  ///
  /// - Returns: `nil` if it can't be told what would have to go.
  func undoing(_ edits: [TextEdit], in text: [UInt8]) throws(ConfigurationFault) -> [UInt8]? {
    var result: [UInt8]? = text
    for edit in edits.reversed() { result = result.flatMap { edit.undone(in: $0) } }
    if let result, isWithout(result, text) { return result }
    result = text
    for edit in edits.reversed() {
      guard let present = result else { return nil }
      if let elsewhere = edit.undoneElsewhere(in: present), isWithout(elsewhere, present) {
        result = elsewhere
      } else {
        result = try undoing(edit, in: present)
      }
    }
    guard let result, isWithout(result, text) else { return nil }
    return result
  }

  /// Whether a text reads as another, but for the setting.
  private func isWithout(_ result: [UInt8], _ text: [UInt8]) -> Bool {
    guard let before = try? reading(of: text), let after = try? reading(of: result) else { return false }
    return before.others == after.others
      && (before.setting != after.setting || (try? proposal(for: result).isEmpty) == false)
  }

  /// What changes, for people: the setting alone, for what else stands there may be a password.
  func change(from before: [UInt8]) throws(ConfigurationFault) -> (removed: [String], added: [String]) {
    let edits = try edits(for: before)
    if edits.isEmpty { return ([], []) }
    if edits.allSatisfy({ $0.removed.isEmpty && $0.added.last == 0x0a }) {
      let lines = edits.flatMap(\.added).split(separator: 0x0a).map { Array($0) }
      return ([], lines.filter { !$0.isBlank }.map { $0.string(0..<$0.count).filter { $0 != "\r" } })
    }
    return (
      try reading(of: before).setting.map(shown),
      try reading(of: edits.applied(to: before)).setting.map(shown)
    )
  }
}
