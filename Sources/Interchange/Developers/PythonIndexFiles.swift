import Bytes

extension FileFormat {
  /// Passwords in the URLs of pip's configuration, such as those of `index-url` (pip's documentation,
  /// "Authentication"). The user name stays in the URL, so that pip asks llavero, except for a proxy.
  public static let pip = FileFormat(
    "pip", "passwords in the URLs of pip's configuration",
    usualPaths: [
      "$PIP_CONFIG_FILE", "$XDG_CONFIG_HOME/pip/pip.conf", "~/.config/pip/pip.conf", "~/.pip/pip.conf",
    ],
    holdsLoginsAlone: false,
    looksLike: { shape in
      let isPips = ["global", "install", "download"].contains { shape.sections.contains($0) }
      let names: [StaticString] = ["index-url", "extra-index-url", "proxy"]
      return isPips && shape.hasLine { line in names.contains { line.starts(with: $0) } }
    }
  ) { text throws(FormatFault) in
    let file = try INIDocument(text, orElse: "it has no sections, as pip's configuration has")
    var found = FoundLogins(malformed: file.malformedLines)
    for option in file.options {
      let setting = option.name == "proxy" ? option.name : nil
      // Its lines may be separated by comments.
      for value in option.values {
        let line = option.line + text[option.lines.lowerBound..<value.lowerBound].count { $0 == 0x0a }
        found.takeURLs(in: value, of: text, line: line, ofSetting: setting)
      }
    }
    return found
  }

  /// Passwords in the URLs of uv's configuration, such as those of `[[index]]` (uv's documentation, "Package indexes").
  public static let uv = FileFormat(
    "uv", "passwords in the URLs of uv's configuration",
    usualPaths: ["$UV_CONFIG_FILE", "$XDG_CONFIG_HOME/uv/uv.toml", "~/.config/uv/uv.toml"],
    holdsLoginsAlone: false,
    looksLike: { shape in
      let hasURL = shape.hasLine {
        $0.starts(with: "index-url = \"") || $0.starts(with: "extra-index-url = [")
      }
      return hasURL || shape.sections.contains("[index]")
    }
  ) { text throws(FormatFault) in
    let file = try TOMLDocument(text, that: "uv reads")
    var found = FoundLogins(malformed: file.malformedLines)
    for entry in file.entries where !entry.isTable {
      // Escapes in an address aren't decoded, and could hide a password.
      if text[entry.value].contains(UInt8(ascii: "\\")), text[entry.value].contains(UInt8(ascii: "@")) {
        found.passOver(.line(entry.line), .malformed)
        continue
      }
      for value in entry.elements ?? [entry.value] {
        let line = entry.line + text[entry.value.lowerBound..<value.lowerBound].count { $0 == 0x0a }
        found.takeURLs(in: value, of: text, line: line)
      }
    }
    return found
  }
}
