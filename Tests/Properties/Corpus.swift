import Glibc

/// The inputs in `Tests/Corpora` for one of the fuzzer's targets.
public enum Corpus {
  /// Checks a property on all inputs of a target, and returns the failures, each with the name of its file.
  ///
  /// - Throws: ``PropertyFailure`` if there are no inputs.
  public static func failures<P: Property>(
    of target: String, _ property: P.Type
  ) throws(PropertyFailure) -> [String] {
    let folder = #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/Corpora/\(target)"
    var failures: [String] = []
    let names = names(in: folder)
    try require(!names.isEmpty, "there are inputs in \(folder)")
    for name in names {
      do throws(PropertyFailure) {
        try lend(try contents(of: "\(folder)/\(name)"), P.check)
      } catch {
        failures.append("\(target)/\(name): \(error)")
      }
    }
    return failures
  }

  private static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  private static func contents(of path: String) throws(PropertyFailure) -> [UInt8] {
    guard let file = fopen(path, "rbe") else { throw PropertyFailure("\(path) can be read") }
    defer { fclose(file) }
    var contents: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 12)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { return contents }
      contents += buffer[..<count]
    }
  }
}
