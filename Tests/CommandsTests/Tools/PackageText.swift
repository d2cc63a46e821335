import Glibc
import Testing

/// A text of the package, such as a manual page.
///
/// - Parameter path: where it is, below the package's folder.
func packageText(_ path: String) throws -> String {
  let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
  let file = try #require(fopen(root + "/" + path, "rbe"), "there is \(path)")
  defer { fclose(file) }
  var contents = [UInt8](repeating: 0, count: 1 << 20)
  let count = fread(&contents, 1, contents.count, file)
  return String(decoding: contents[..<count], as: UTF8.self)
}
