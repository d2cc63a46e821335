package struct GitSetting {
  /// The section, `credential` or `http`, in lowercase.
  package let section: String
  /// The part between section and name, as written: a URL; `nil` if there is none.
  package let subsection: String?
  /// The name in lowercase.
  package let name: String
  package private(set) var value: String

  /// Splits a name as `git config --list` prints it.
  package init?(_ name: some StringProtocol, _ value: some StringProtocol) {
    guard let first = name.firstIndex(of: "."), let last = name.lastIndex(of: ".") else { return nil }
    section = name[..<first].lowercased()
    subsection = first < last ? String(name[name.index(after: first)..<last]) : nil
    self.name = name[name.index(after: last)...].lowercased()
    self.value = String(value)
  }

  /// The setting with `~` replaced by the person's home (git-config(1), `--type=path`).
  package func expandingHome(_ home: String?) -> GitSetting {
    guard let home, value.hasPrefix("~/") else { return self }
    var expanded = self
    expanded.value = home + value.dropFirst()
    return expanded
  }

  /// The settings in the output of `git config --null --list`.
  package static func parse(_ text: String) -> [GitSetting] {
    text.split(separator: "\0").compactMap { entry in
      let parts = entry.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      // A name without a value is true (git-config(1), "Values").
      return GitSetting(parts[0], parts.count > 1 ? parts[1] : "true")
    }
  }
}
