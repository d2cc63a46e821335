import Glibc

/// A fresh folder for one test, removed with its files when the test ends.
final class ScratchFolder: Sendable {
  let path: String

  init() throws {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/llavero-age-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure("cannot make a folder in \(base)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    guard let directory = opendir(path) else { return }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { unlink("\(path)/\(name)") }
    }
    closedir(directory)
    rmdir(path)
  }

  subscript(name: String) -> String { "\(path)/\(name)" }

  func read(_ name: String) throws -> [UInt8] {
    guard let contents = readFile(self[name]) else { throw Failure("there is no \(self[name])") }
    return contents
  }
}
