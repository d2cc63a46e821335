import TestSupport

/// A text of the package, such as a manual page.
///
/// - Parameter path: where it is, below the package's folder.
func packageText(_ path: String) throws -> String {
  let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
  return String(decoding: try contents(of: root + "/" + path), as: UTF8.self)
}
