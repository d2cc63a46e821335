/// How one setting is written in the text of a tool's configuration. Pure over bytes.
protocol ConfigurationFormat: Sendable {
  /// What the text says now, for people; `nil` if it says nothing.
  ///
  /// - Throws: ``ConfigurationFault`` if the text can't be understood.
  func current(in text: [UInt8]) throws(ConfigurationFault) -> String?

  /// The text with the setting, and all else as it was. The same text if it has the setting.
  ///
  /// - Throws: ``ConfigurationFault`` if the text can't be understood, or has something that excludes the setting.
  func setting(in text: [UInt8]) throws(ConfigurationFault) -> [UInt8]

  /// The text without the setting, which was made in `before`: what that had in its place comes back.
  ///
  /// - Returns: `nil` if what was set isn't in the text any more.
  func unsetting(in text: [UInt8], before: [UInt8]) throws(ConfigurationFault) -> [UInt8]?

  /// The lines that change from `before`, without what else may stand in them.
  func change(from before: [UInt8]) throws(ConfigurationFault) -> (removed: [String], added: [String])
}

/// Why a setting can't be written, in small letters without a full stop; nothing of the text but names.
struct ConfigurationFault: Error, Hashable {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}

extension ConfigurationFormat {
  func unsetting(in text: [UInt8], before: [UInt8]) throws(ConfigurationFault) -> [UInt8]? {
    let after = try setting(in: before)
    if text == after { return before }
    return LineChange(from: before, to: after).undone(in: text)
  }

  func change(from before: [UInt8]) throws(ConfigurationFault) -> (removed: [String], added: [String]) {
    let change = LineChange(from: before, to: try setting(in: before))
    func texts(_ lines: ArraySlice<ArraySlice<UInt8>>) -> [String] {
      lines.map { String(decoding: $0, as: UTF8.self) }.filter { !$0.isEmpty }
    }
    return (texts(change.removed), texts(change.added))
  }
}

/// The lines in one place of a text by which it differs from another.
struct LineChange {
  let removed: ArraySlice<ArraySlice<UInt8>>
  let added: ArraySlice<ArraySlice<UInt8>>

  init(from before: [UInt8], to after: [UInt8]) {
    var old = Self.wholeLines(before)[...]
    var new = Self.wholeLines(after)[...]
    while let first = old.first, first == new.first {
      old.removeFirst()
      new.removeFirst()
    }
    while let last = old.last, last == new.last {
      old.removeLast()
      new.removeLast()
    }
    removed = old
    added = new
  }

  /// The text with the former lines in the place of the later ones; `nil` if these aren't in it, or more than once.
  func undone(in text: [UInt8]) -> [UInt8]? {
    if added.isEmpty { return nil }
    var lines = Self.wholeLines(text)
    let places = lines.indices.filter { lines[$0...].starts(with: added) }
    guard places.count == 1 else { return nil }
    lines.replaceSubrange(places[0]..<places[0] + added.count, with: removed)
    return Array(lines.map { $0 + [UInt8(ascii: "\n")] }.joined())
  }

  /// The lines without their LF, which the last one may lack.
  private static func wholeLines(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines = lines(text)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  /// The lines without their LF; what follows the last LF is one, too.
  static func lines(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
    text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
  }
}

/// Lines of a configuration, as text to look at.
func trimmed(_ line: ArraySlice<UInt8>) -> String {
  var line = line
  func isSpace(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }
  while isSpace(line.first) { line.removeFirst() }
  while isSpace(line.last) { line.removeLast() }
  return String(decoding: line, as: UTF8.self)
}
