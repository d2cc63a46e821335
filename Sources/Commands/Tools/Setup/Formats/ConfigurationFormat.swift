/// How one setting is written in the text of a tool's configuration. Works on bytes alone.
protocol ConfigurationFormat: Sendable {
  /// The name of the setting in a setup record; the same in every version.
  var name: String { get }

  /// The lines that people would write by hand.
  var byHand: [String] { get }

  /// The settings that the tool reads in the text, by its own rules.
  ///
  /// - Throws: ``ConfigurationFault`` if the tool would reject the text, or it is unclear what it reads.
  func reading(of text: [UInt8]) throws(ConfigurationFault) -> ConfigurationReading

  /// Edits that make the setting, each relative to the result of the one before; none if it is set already. The result
  /// has not been checked yet.
  ///
  /// - Throws: ``ConfigurationFault`` if the text can't be understood, or something in it excludes the setting.
  func proposal(for text: [UInt8]) throws(ConfigurationFault) -> [TextEdit]

  /// The text without an edit, in case the tool has rewritten the text since. The result has not been checked yet.
  ///
  /// - Returns: `nil` if the setting isn't in the text any more.
  func undoing(_ edit: TextEdit, in text: [UInt8]) throws(ConfigurationFault) -> [UInt8]?

  /// A value of the setting, as it stands in the configuration.
  func shown(_ value: String) -> String

  /// Whether version 0.1.0 may have written this line, which is given without surrounding white space. Always false if
  /// that version changed parts of lines.
  func isFormerLine(_ line: String) -> Bool

  /// The text without a former setting that nobody should go back to. Most formats have none.
  func cleaned(_ text: [UInt8]) throws(ConfigurationFault) -> [UInt8]
}

/// The settings that a tool reads in its configuration.
struct ConfigurationReading: Equatable {
  /// A setting other than the format's own.
  struct Entry: Hashable {
    /// The section and the key.
    let name: [[UInt8]]
    let value: [UInt8]
  }

  /// The values of the setting, for people; empty if it isn't set.
  var setting: [String] = []
  /// All other settings, in order.
  var others: [Entry] = []
}

/// The reason why a setting can't be written, in lowercase without a full stop. It contains only names from the text.
struct ConfigurationFault: Error, Hashable {
  let reason: String
  /// The lines for this text, where they differ from those that people would usually write.
  let byHand: [String]?

  init(_ reason: String, byHand: [String]? = nil) {
    self.reason = reason
    self.byHand = byHand
  }
}

extension ConfigurationFormat {
  func cleaned(_ text: [UInt8]) throws(ConfigurationFault) -> [UInt8] { text }

  func isFormerLine(_ line: String) -> Bool {
    byHand.contains { $0.filter { $0 != "\t" } == line }
  }

  /// The current value for people; `nil` if it isn't set.
  ///
  /// - Throws: ``ConfigurationFault`` if the text can't be understood.
  func current(in text: [UInt8]) throws(ConfigurationFault) -> String? {
    let setting = try reading(of: text).setting
    return setting.isEmpty ? nil : setting.joined(separator: ", ")
  }

  /// Edits that make the setting; none if it is set already. The result has been read back: it has the setting, and
  /// everything else reads as before.
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

  /// The text with the setting, and everything else as before. Returns the same text if it is set already.
  ///
  /// - Throws: as ``edits(for:)`` does.
  func setting(in text: [UInt8]) throws(ConfigurationFault) -> [UInt8] {
    try edits(for: text).applied(to: text)
  }

  /// The text without the edits: the exact former bytes if the edited parts are unchanged, otherwise a text that the
  /// tool reads in the same way.
  ///
  /// - Returns: `nil` if it is unclear what to remove.
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

  /// Whether a text reads like another, except for the setting.
  private func isWithout(_ result: [UInt8], _ text: [UInt8]) -> Bool {
    guard let before = try? reading(of: text), let after = try? reading(of: result) else { return false }
    return before.others == after.others
      && (before.setting != after.setting || (try? proposal(for: result).isEmpty) == false)
  }

  /// The changes for people. Only the setting is shown, because the rest may contain a password.
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
