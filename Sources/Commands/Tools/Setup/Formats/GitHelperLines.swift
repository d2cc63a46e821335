import Bytes

/// The credential helpers in git's configuration (git-config(1), "credential.helper"). Each line adds one, and an empty
/// one resets the list.
struct GitHelperLines: ConfigurationFormat {
  /// As git's configuration names it.
  let helper: String
  /// Another name that does as well where a person has written it; `nil` if there is none.
  var byHand: String?
  /// Whether a file that git reads before this one names helpers.
  var hasOthersBefore = false
  /// Whether git has to send the path of a URL, unless the file already says whether it does.
  var sendsPath = false

  private static let key = "credential.helper"
  private static let pathKey = "credential.usehttppath"

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
      setting: try helpers(in: file).names.map { .init(value: $0, line: "helper = \($0)") },
      others: file.entries.filter { entry in
        ![Self.key, Self.pathKey].contains { entry.name.elementsEqual($0.utf8) }
      }.map { .init(name: [$0.name], value: $0.value ?? [0]) })
  }

  func ownLines(in text: [UInt8]) throws(ConfigurationFault) -> [String] {
    try GitEntries(text).values(of: Self.key).map { value in
      let value = value.map { String(decoding: $0, as: UTF8.self) } ?? ""
      return value.isEmpty ? "helper =" : "helper = \(value)"
    }
  }

  /// Whether the text resets the helpers that git has read before it, also those for single hosts.
  func resets(_ text: [UInt8]) -> Bool {
    (try? helpers(in: GitEntries(text)).isReset) ?? false
  }

  func isMade(in text: [UInt8]) throws(ConfigurationFault) -> Bool {
    let file = try GitEntries(text)
    let present = try helpers(in: file)
    let isPersons = block(named: "git").removed(from: text) == nil
    let isOwn = present.names == [helper] || isPersons && present.names == [byHand].compactMap(\.self)
    return isOwn && !present.names.isEmpty && !lacksPath(file)
      && (present.isReset || !hasOthersBefore && !Self.includes(file))
  }

  func lines(for base: [UInt8], like text: [UInt8]) throws(ConfigurationFault) -> [String] {
    if base.last == UInt8(ascii: "\\") { throw ConfigurationFault("its last line ends with a backslash") }
    let file = try GitEntries(base)
    // Another helper may store the same logins in plain text, and an old password there would continue to answer.
    let needsReset = try !helpers(in: file).names.isEmpty || hasOthersBefore || Self.includes(file)
    return ["[credential]"] + (needsReset ? ["\thelper ="] : []) + [line]
      + (lacksPath(file) ? ["\tuseHttpPath = true"] : [])
  }

  private func lacksPath(_ file: GitEntries) -> Bool { sendsPath && file.values(of: Self.pathKey).isEmpty }

  /// The helpers in this text for all URLs, in order, and whether it resets those of earlier files.
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

  private static func includes(_ file: GitEntries) -> Bool {
    file.entries.contains {
      let name = String(decoding: $0.name, as: UTF8.self)
      return name == "include.path" || name.hasPrefix("includeif.")
    }
  }
}
