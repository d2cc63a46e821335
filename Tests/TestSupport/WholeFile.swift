import Glibc

/// A file that could not be read or written.
package struct FileFailure: Error {
  package let path: String
  package let errno: Int32
}

/// Reads a whole file.
///
/// - Throws: ``FileFailure``.
package func contents(of path: String) throws -> [UInt8] {
  guard let file = fopen(path, "rbe") else { throw FileFailure(path: path, errno: errno) }
  defer { fclose(file) }
  var contents: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = fread(&buffer, 1, buffer.count, file)
    if count == 0 { return contents }
    contents += buffer[..<count]
  }
}

/// Writes bytes to a file of mode 0600, in place.
///
/// - Throws: ``FileFailure``.
package func put(_ bytes: some Sequence<UInt8>, into path: String) throws {
  let bytes = Array(bytes)
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  guard descriptor >= 0, let file = fdopen(descriptor, "wb") else {
    throw FileFailure(path: path, errno: errno)
  }
  let count = fwrite(bytes, 1, bytes.count, file)
  guard fclose(file) == 0, count == bytes.count else { throw FileFailure(path: path, errno: errno) }
}

/// The names in a folder, sorted; none if it isn't one.
package func names(in path: String) -> [String] {
  guard let folder = opendir(path) else { return [] }
  defer { closedir(folder) }
  var names: [String] = []
  while let entry = readdir(folder) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return names.sorted()
}
