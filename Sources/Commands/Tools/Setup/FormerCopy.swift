import Bytes
import Glibc

/// The copy of a whole configuration that version 0.1.0 kept in `*.before-llavero` before it set a tool up.
enum FormerCopy {
  /// Whether a text contains a setting.
  static func isSet(_ format: any ConfigurationFormat, in text: [UInt8]) -> Bool {
    (try? format.proposal(for: text).isEmpty) ?? false
  }

  /// The text without the settings that were made in `copy`. If nothing else differs, the copy itself.
  ///
  /// - Returns: `nil` if they aren't in the text, or it is unclear what to remove.
  static func undone(_ text: [UInt8], to copy: [UInt8], _ formats: [any ConfigurationFormat]) -> [UInt8]? {
    if text == copy || differsByFormerLines(text, copy, formats) { return copy }
    if let cleaned = cleaned(text, formats), cleaned != text {
      return readsAs(copy, cleaned, formats) && comments(in: cleaned) == comments(in: copy) ? copy : cleaned
    }
    var befores = [copy]
    for format in formats {
      guard isSet(format, in: text), let after = try? format.setting(in: befores[befores.count - 1]) else {
        return nil
      }
      befores.append(after)
    }
    if readsAs(befores[formats.count], text, formats), comments(in: text) == comments(in: copy) {
      return copy
    }
    var result = text
    for (format, before) in zip(formats, befores).reversed() {
      guard let edits = try? format.edits(for: before) else { return nil }
      // The setting was there before.
      if edits.isEmpty { continue }
      guard let undone = try? format.undoing(edits, in: result) else { return nil }
      result = undone
    }
    return result
  }

  /// Whether the copy may be needed to undo something in the text.
  static func isNeeded(for text: [UInt8], _ formats: [any ConfigurationFormat]) -> Bool {
    formats.contains { format in
      guard let reading = try? format.reading(of: text) else { return true }
      return isSet(format, in: text) || reading.setting.contains { $0.hasPart("llavero") }
    }
  }

  /// Whether a text differs from a copy only in one place, by lines that version 0.1.0 wrote and the lines they
  /// replaced. The tool did not always understand what that version wrote.
  private static func differsByFormerLines(
    _ text: [UInt8], _ copy: [UInt8], _ formats: [any ConfigurationFormat]
  ) -> Bool {
    func lines(_ text: [UInt8]) -> ArraySlice<[UInt8]> {
      TextLines(text).map { Array(text[text.trimmed($0.content)]) }[...]
    }
    var (old, new) = (lines(copy), lines(text))
    while let first = old.first, first == new.first { (old, new) = (old.dropFirst(), new.dropFirst()) }
    while let last = old.last, last == new.last { (old, new) = (old.dropLast(), new.dropLast()) }
    let added = new.filter { !$0.isEmpty }.map { $0.string(0..<$0.count) }
    return !added.isEmpty && added.allSatisfy { line in formats.contains { $0.isFormerLine(line) } }
      && old.allSatisfy { line in line.isEmpty || formats.contains { hasKey(line, of: $0) } }
  }

  /// Whether a line may belong to the setting: it contains its key, ignoring case, hyphens and underscores.
  private static func hasKey(_ line: [UInt8], of format: any ConfigurationFormat) -> Bool {
    func plain(_ text: some StringProtocol) -> String {
      text.lowercased().filter { $0 != "-" && $0 != "_" }
    }
    let key = format.name.split(separator: ".").last ?? ""
    return plain(line.string(0..<line.count)).hasPart(plain(key))
  }

  /// The copies that exist: the tool whose configuration each belongs to, and its path.
  static func all(_ place: SetupPlace) -> [(tool: String, path: String)] {
    var found: [(tool: String, path: String)] = []
    for tool in ToolSetup.all {
      for (file, _) in (try? tool.settings(place.forRemoving)) ?? [] {
        let path = file.formerCopyPath
        if access(path, F_OK) == 0, !found.contains(where: { $0.path == path }) {
          found.append((tool.name, path))
        }
      }
    }
    return found
  }

  private static func cleaned(_ text: [UInt8], _ formats: [any ConfigurationFormat]) -> [UInt8]? {
    var text = text
    for format in formats {
      guard let cleaned = try? format.cleaned(text) else { return nil }
      text = cleaned
    }
    return text
  }

  private static func readsAs(_ text: [UInt8], _ other: [UInt8], _ formats: [any ConfigurationFormat]) -> Bool
  {
    formats.allSatisfy { format in
      guard let reading = try? format.reading(of: text) else { return false }
      return (try? format.reading(of: other)) == reading
    }
  }

  private static func comments(in text: [UInt8]) -> [[UInt8]] {
    TextLines(text).map { Array(text[text.trimmed($0.content)]) }.filter {
      [UInt8(ascii: "#"), UInt8(ascii: ";")].contains($0.first)
    }
  }
}
