import Bytes
import Glibc

/// Removes a file, or a folder with everything in it, whatever its mode, as far as possible. Doesn't follow links.
package func removeTree(_ path: String) {
  if unlink(path) == 0 { return }
  if let folder = opendir(path) {
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    closedir(folder)
    for name in names { removeTree(path + "/" + name) }
  }
  rmdir(path)
}
