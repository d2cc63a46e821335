import Bytes

/// The packages of this system, by the names that its package manager knows.
enum SystemPackages {
  /// In the order of `columns`.
  private static let names: [String: [String]] = [
    "libsecret-1.so.0": ["libsecret-1-0", "libsecret", "libsecret-1-0", "libsecret", "libsecret"],
    "libcurl.so.4": ["libcurl4", "libcurl", "libcurl4", "curl", "libcurl"],
    "libglib-2.0.so.0": ["libglib2.0-0", "glib2", "libglib-2_0-0", "glib2", "glib"],
    "libgobject-2.0.so.0": ["libglib2.0-0", "glib2", "libgobject-2_0-0", "glib2", "glib"],
    "libgio-2.0.so.0": ["libglib2.0-0", "glib2", "libgio-2_0-0", "glib2", "glib"],
  ]
  /// What `ID` or `ID_LIKE` of os-release(5) names.
  private static let columns = ["debian", "fedora", "suse", "arch", "alpine"]

  /// The package with a library; `nil` for an unknown system or library.
  static func package(of library: String) -> String? {
    guard let names = names[library], let column else { return nil }
    return names[column]
  }

  private static var column: Int? {
    guard let file = MappedFile("/etc/os-release") ?? MappedFile("/usr/lib/os-release") else { return nil }
    defer { file.close() }
    var lines = Lines(file.bytes)
    while let line = lines.next() {
      let line = String(decoding: line, as: UTF8.self)
      guard line.hasPrefix("ID=") || line.hasPrefix("ID_LIKE=") else { continue }
      for word in line.split(whereSeparator: { "= \"'".contains($0) }).dropFirst() {
        if let column = columns.firstIndex(of: word.hasPrefix("opensuse") ? "suse" : String(word)) {
          return column
        }
      }
    }
    return nil
  }
}
