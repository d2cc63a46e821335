/// Bazel's credential helpers: a line `common --credential_helper=HOST=PATH` for each host. Without a host, bazel would
/// ask for every URL that any dependency names.
struct BazelHelperLines: ConfigurationFormat {
  let helper: String
  /// The hosts to set; empty to see the present ones.
  let hosts: [String]

  private static let option = "common --credential_helper="

  func reading(of text: [UInt8]) throws(ConfigurationFault) -> ConfigurationReading {
    var reading = ConfigurationReading()
    for words in try Self.lines(of: text) {
      if let own = own(words) {
        reading.setting.append(.init(value: own, line: Self.option + own))
      } else {
        reading.others.append(.init(name: [], value: words))
      }
    }
    return reading
  }

  func isMade(in text: [UInt8]) throws(ConfigurationFault) -> Bool {
    let present = try reading(of: text).setting.map(\.value)
    return !present.isEmpty && present.allSatisfy { $0.hasSuffix("=\(helper)") }
      && hosts.allSatisfy { present.contains("\($0)=\(helper)") }
  }

  func lines(for base: [UInt8], like text: [UInt8]) throws(ConfigurationFault) -> [String] {
    // The present ones stay.
    let others = try reading(of: base).setting.map(\.value)
    let before = try reading(of: text).setting.compactMap {
      $0.value.split(separator: "=").first.map(String.init)
    }
    let all = before + hosts.filter { !before.contains($0) }
    return all.map { "\($0)=\(helper)" }.filter { !others.contains($0) }.map { Self.option + $0 }
  }

  func leftToPerson(in text: [UInt8]) throws(ConfigurationFault) -> ByHand? {
    guard let other = try reading(of: text).setting.first(where: { !$0.value.hasSuffix("=\(helper)") }) else {
      return nil
    }
    let host = other.value.split(separator: "=").first ?? ""
    return ByHand(
      ["\(Self.option)\(host)=\(helper)"], "in place of \(other.line)", because: "another llavero")
  }

  /// The host and the helper of a line that names llavero, perhaps at a former path.
  private func own(_ words: [UInt8]) -> String? {
    guard words.starts(with: Array(Self.option.utf8)) else { return nil }
    let value = String(decoding: words.dropFirst(Self.option.utf8.count), as: UTF8.self)
    let isOurs = value.hasSuffix("=\(helper)") || value.hasSuffix("/bazel-credential-llavero")
    return isOurs && value.contains("=") ? value : nil
  }

  /// The lines that are not empty. A line that ends with a backslash continues in the next.
  private static func lines(of text: [UInt8]) throws(ConfigurationFault) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var open: [UInt8]?
    for line in TextLines(text) {
      let words = (open ?? []) + text[line.content]
      if words.last == UInt8(ascii: "\\") {
        open = words.dropLast()
        continue
      }
      open = nil
      let trimmed = Array(words[words.trimmed(0..<words.count)])
      if !trimmed.isEmpty, trimmed.first != UInt8(ascii: "#") { lines.append(trimmed) }
    }
    if open != nil { throw ConfigurationFault("its last line ends with a backslash") }
    return lines
  }
}
