import Bytes
import Glibc
import Keychain

/// The files of a store with one for each entry, in a folder and its subfolders.
enum FolderFiles {
  /// The names of the files with an ending, without it, from the folder on and in order.
  static func names(in root: String, endingWith ending: String) -> [ByteString] {
    var names: [ByteString] = []
    collect(ByteString(root), below: [], Array(ending.utf8), depth: 0, &names)
    return names.sorted()
  }

  /// This folder and the one above it, git's, and those of extensions and keys.
  private static let notEntries: Set<ByteString> = [".", "..", ".git", ".extensions", ".public-keys"]

  private static func collect(
    _ root: ByteString, below names: [UInt8], _ ending: [UInt8], depth: Int, _ found: inout [ByteString]
  ) {
    let path = root.bytes + (names.isEmpty ? [] : [UInt8(ascii: "/")] + names)
    // This ends the recursion at a link that leads back into its own folder.
    guard depth < 32, let directory = lend(path, { opendir($0) }) else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if notEntries.contains(ByteString(name)) { continue }
      let whole = names + (names.isEmpty ? [] : [UInt8(ascii: "/")]) + name
      var status = stat()
      guard lend(path + [UInt8(ascii: "/")] + name, { stat($0, &status) }) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        collect(root, below: whole, ending, depth: depth + 1, &found)
      } else if status.st_mode & S_IFMT == S_IFREG, name.count > ending.count,
        name[(name.count - ending.count)...].elementsEqual(ending)
      {
        found.append(ByteString(Array(whole.dropLast(ending.count))))
      }
    }
  }

  private static func lend<Result>(_ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
    var terminated = path.map { CChar(bitPattern: $0) }
    terminated.append(0)
    return body(terminated)
  }
}
