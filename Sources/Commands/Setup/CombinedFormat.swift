/// Several settings in one file.
struct CombinedFormat: ConfigurationFormat {
  let parts: [any ConfigurationFormat]

  func current(in text: [UInt8]) throws(ConfigurationFault) -> String? {
    try parts.first?.current(in: text)
  }

  func setting(in text: [UInt8]) throws(ConfigurationFault) -> [UInt8] {
    var text = text
    for part in parts { text = try part.setting(in: text) }
    return text
  }

  func unsetting(in text: [UInt8], before: [UInt8]) throws(ConfigurationFault) -> [UInt8]? {
    var befores = [before]
    for part in parts { befores.append(try part.setting(in: befores[befores.count - 1])) }
    if text == befores.removeLast() { return before }
    var text = text
    for (part, before) in zip(parts, befores).reversed() {
      guard let undone = try part.unsetting(in: text, before: before) else { return nil }
      text = undone
    }
    return text
  }
}
