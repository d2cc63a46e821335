import Glibc

package enum PathSafety {
  /// Whether strangers may put another file at a path: anybody but this user, root and the file's owner. They can if
  /// they own a folder or link on the way, or if everybody may change a folder there. A folder of root's that a group
  /// may change as well, like Debian's `/usr/local/bin`, counts as root's.
  ///
  /// - Parameter path: an absolute path; a file that isn't there counts as anybody's.
  package static func strangersMayChange(_ path: String) -> Bool {
    var (file, root) = (stat(), stat())
    guard stat(path, &file) == 0, stat("/", &root) == 0 else { return true }
    let trusted = [ownUser, 0, file.st_uid, root.st_uid]
    var path = path
    // As many links as Linux follows (path_resolution(7)).
    for _ in 0...40 {
      var status = stat()
      guard path.hasPrefix("/"), lstat(path, &status) == 0, !isStrangers(status, trusted) else { return true }
      let folder = self.folder(of: path)
      if isBelowStrangers(folder, trusted) { return true }
      guard let target = target(of: path) else { return false }
      path = target.hasPrefix("/") ? target : "\(folder)/\(target)"
    }
    return true
  }

  private static func isStrangers(_ status: stat, _ trusted: [UInt32]) -> Bool {
    if !trusted.contains(status.st_uid) { return true }
    let mode = status.st_mode
    // In a sticky folder, people can change only their own entries.
    if mode & S_IFMT == S_IFLNK || mode & S_IFMT == S_IFDIR && mode & S_ISVTX != 0 { return false }
    if mode & 0o002 != 0 { return true }
    return mode & 0o020 != 0 && status.st_uid == ownUser && ownUser != 0
      && !PrivateGroup.isOwn(status.st_gid)
  }

  /// The same for a folder and those above it, along its path and where its links lead.
  private static func isBelowStrangers(_ folder: String, _ trusted: [UInt32]) -> Bool {
    guard let resolved = realpath(folder, nil) else { return true }
    defer { free(resolved) }
    return [folder, String(cString: resolved)].contains { path in
      var path = path
      while true {
        var status = stat()
        if stat(path.isEmpty ? "/" : path, &status) != 0 || isStrangers(status, trusted) { return true }
        if path.isEmpty || path == "/" { return false }
        path = self.folder(of: path)
      }
    }
  }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  private static func target(of path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count)
    return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
  }
}
