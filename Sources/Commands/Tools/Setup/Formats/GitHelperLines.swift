import Bytes

/// The credential helpers in git's configuration (git-config(1), "credential.helper"). Each line adds one, and an empty
/// one resets the list.
struct GitHelperLines: ConfigurationFormat {
  /// The helper, as git is told to find it.
  let helper: String
  /// Whether a file that git reads before this one names helpers.
  var hasOthersBefore = false

  let name = "credential.helper"

  private static let key = "credential.helper"

  var byHand: [String] { ["[credential]", "\thelper =", line] }

  private var line: String {
    // Unquoted, the value would start a comment or an escape.
    if helper.contains(where: { "#;\"\\".contains($0) }) {
      let escaped = helper.replacingPart("\\", with: "\\\\").replacingPart("\"", with: "\\\"")
      return "\thelper = \"\(escaped)\""
    }
    return "\thelper = \(helper)"
  }

  func reading(of text: [UInt8]) throws(ConfigurationFault) -> ConfigurationReading {
    let file = try GitEntries(text)
    return ConfigurationReading(
      setting: try helpers(in: file).names,
      others: file.entries.filter { !$0.name.elementsEqual(Self.key.utf8) }.map {
        .init(name: [$0.name], value: $0.value ?? [0])
      })
  }

  func shown(_ value: String) -> String { "helper = \(value)" }

  func proposal(for text: [UInt8]) throws(ConfigurationFault) -> [TextEdit] {
    let file = try GitEntries(text)
    let present = try helpers(in: file)
    // Another helper may store the same logins in plain text, and an old password there would continue to answer.
    let needsReset = !present.names.isEmpty || hasOthersBefore || Self.includes(file)
    if present.names == [helper], present.isReset || !(hasOthersBefore || Self.includes(file)) { return [] }
    // One that has moved is replaced where it is.
    let former = file.entries.filter { entry in
      entry.name.elementsEqual(Self.key.utf8)
        && entry.value.map { NamedPath.isLlavero(String(decoding: $0, as: UTF8.self)) } == true
    }
    if former.count == 1, present.names.count == 1,
      former[0].value?.elementsEqual(present.names[0].utf8) == true,
      present.isReset || !(hasOthersBefore || Self.includes(file))
    {
      return [.replacement(of: former[0].range, in: text, with: Array(line.dropFirst().utf8))]
    }
    return [text.ending(with: needsReset ? byHand : ["[credential]", line])]
  }

  func undoing(_ edit: TextEdit, in text: [UInt8]) throws(ConfigurationFault) -> [UInt8]? {
    let file = try GitEntries(text)
    let places = file.entries.indices.filter { index in
      let entry = file.entries[index]
      return entry.name.elementsEqual(Self.key.utf8) && entry.value?.elementsEqual(helper.utf8) == true
    }
    guard let index = places.last, places.count == 1 else { return nil }
    var going = [index]
    if index > 0, case let before = file.entries[index - 1], before.section == file.entries[index].section,
      before.name == file.entries[index].name, before.value == [],
      edit.added.split(separator: 0x0a).count > 2
    {
      going.insert(index - 1, at: 0)
    }
    var result = text
    for index in going.reversed() {
      let range = file.entries[index].range
      // Nothing else may be on its line.
      let start = (text[..<range.lowerBound].lastIndex(of: 0x0a) ?? -1) + 1
      guard Array(text[start..<range.lowerBound]).isBlank else { return nil }
      let end = text[range.upperBound...].firstIndex(of: 0x0a).map { $0 + 1 } ?? text.count
      result.removeSubrange(start..<end)
    }
    return result
  }

  /// The helpers that this text names for all URLs, in order, and whether it resets those of earlier files.
  private func helpers(in file: GitEntries) throws(ConfigurationFault) -> (
    names: [String], isReset: Bool
  ) {
    var names: [String] = []
    var isReset = false
    for value in file.values(of: Self.key) {
      guard let value else { throw ConfigurationFault("credential.helper has no value there") }
      if value.isEmpty {
        (names, isReset) = ([], true)
      } else {
        names.append(String(decoding: value, as: UTF8.self))
      }
    }
    return (names, isReset)
  }

  /// Whether it includes other files.
  private static func includes(_ file: GitEntries) -> Bool {
    file.entries.contains {
      let name = String(decoding: $0.name, as: UTF8.self)
      return name == "include.path" || name.hasPrefix("includeif.")
    }
  }
}
