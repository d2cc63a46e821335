/// What git's configuration names as its credential helpers (git-config(1), "credential.helper": each line adds one, an
/// empty one forgets those before).
struct GitHelperLines: ConfigurationFormat {
  /// The helper, as git finds it.
  let helper: String

  func current(in text: [UInt8]) -> String? {
    let helpers = helpers(in: text)
    return helpers.isEmpty ? nil : helpers.joined(separator: ", ")
  }

  func setting(in text: [UInt8]) throws(ConfigurationFault) -> [UInt8] {
    let present = helpers(in: text)
    if present == [helper] { return text }
    var lines = ["[credential]"]
    // What another helper stores beside it may be in plain text, and an old password there would go on answering.
    if !present.isEmpty { lines.append("\thelper =") }
    lines.append("\thelper = \(helper)")
    return try AppendedLines(lines: lines, beginning: "", isOnlyOne: false).setting(in: text)
  }

  /// The helpers for every URL that this text names, in their order.
  private func helpers(in text: [UInt8]) -> [String] {
    var helpers: [String] = []
    var isInside = false
    for line in LineChange.lines(text) {
      let line = trimmed(line)
      if line.first == "[" {
        isInside = line.lowercased().hasPrefix("[credential]")
        continue
      }
      guard isInside, let equals = line.firstIndex(of: "="),
        trimmed(Array(line[..<equals].utf8)[...]).lowercased() == "helper"
      else { continue }
      var value = trimmed(Array(line[line.index(after: equals)...].utf8)[...])
      if value.count > 1, value.first == "\"", value.last == "\"" {
        value = String(value.dropFirst().dropLast())
      }
      if value.isEmpty { helpers = [] } else { helpers.append(value) }
    }
    return helpers
  }
}
