public import Glibc
import Synchronization

/// A fresh folder of mode 0700, removed with its contents when this is released.
public final class TemporaryFolder: Sendable {
  /// The folder's absolute path, without symbolic links.
  public let path: String
  /// The number of folders that have not been removed.
  public static var count: Int { existing.load(ordering: .acquiring) }
  private static let existing = Atomic(0)

  /// Makes the folder, under `TMPDIR` or else `/tmp`.
  public init() {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/llavero-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil, let real = realpath(template, nil) else {
      fatalError("cannot make a folder in \(base): errno \(errno)")
    }
    defer { free(real) }
    path = String(cString: real)
    Self.existing.add(1, ordering: .relaxed)
  }

  deinit {
    removeAll(path)
    Self.existing.subtract(1, ordering: .releasing)
  }

  /// The path of a file in the folder.
  public subscript(name: String) -> String { "\(path)/\(name)" }

  /// Makes a folder in it, with its parents.
  public func makeFolder(_ name: String, mode: mode_t = 0o700) {
    var folder = path
    for part in name.split(separator: "/") {
      folder += "/\(part)"
      mkdir(folder, mode)
    }
  }

  /// Writes a whole file.
  public func write(_ contents: [UInt8], to name: String) {
    do { try put(contents, into: self[name]) } catch { fatalError("cannot write \(error)") }
  }

  /// Reads a whole file; `nil` if it can't be read.
  public func read(_ name: String) -> [UInt8]? {
    try? TestSupport.contents(of: self[name])
  }

  /// The paths of everything below the folder, sorted, folders with a trailing slash.
  public func tree() -> [String] {
    names(in: path).flatMap { Self.tree(path, $0) }.sorted()
  }

  private static func tree(_ base: String, _ name: String) -> [String] {
    guard isFolder("\(base)/\(name)") else { return [name] }
    return ["\(name)/"] + names(in: "\(base)/\(name)").flatMap { tree(base, "\(name)/\($0)") }
  }

  fileprivate static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

/// Removes a file, or a folder with its contents.
package func removeAll(_ path: String) {
  guard TemporaryFolder.isFolder(path) else {
    unlink(path)
    return
  }
  chmod(path, 0o700)
  for name in names(in: path) { removeAll("\(path)/\(name)") }
  rmdir(path)
}
