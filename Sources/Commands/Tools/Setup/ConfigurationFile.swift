import Bytes
import CLinux
import Glibc
import Keychain
import PrivateFiles
import ToolCommands

/// A configuration file of another program. It may contain passwords, so nothing of it is written anywhere else.
struct ConfigurationFile {
  /// As the user knows it.
  let path: String
  /// Whether to make it a program, which everybody may run.
  var isProgram = false

  /// In bytes.
  private static let limit = 4 << 20
  /// The suffix of a lock's name, as with git and kubectl: the creator of that file may change the other one.
  private static let lockSuffix = ".lock"

  /// The contents of the file; `nil` if it doesn't exist.
  ///
  /// - Throws: ``KeychainError`` if it can't be read, belongs to another user, or is behind a dangling link.
  func contents() throws(KeychainError) -> [UInt8]? { try Self.contents(of: path) }

  /// The same for a file that may belong to anybody.
  func anybodysContents() throws(KeychainError) -> [UInt8]? { try Self.contents(of: path, belongingTo: nil) }

  /// The text after a tool's own command has changed it; `nil` if that can't be run, or fails. It works on a copy
  /// beside the file, which is gone afterwards.
  func changed(by command: OwnCommand, from text: [UInt8]) -> [UInt8]? {
    let folder = temporaryName(of: realPath(path) ?? path)
    // A signal ends this once the copy is gone, which may have passwords.
    let held = HeldSignals()
    defer { withExtendedLifetime(held) {} }
    defer { removeTree(folder) }
    let copy = ConfigurationFile(path: "\(folder)/\(command.file)")
    guard (try? copy.replace(nil, with: text)) != nil, command.run(in: folder, for: text) else { return nil }
    return (try? copy.contents()) ?? nil
  }

  /// Replaces the contents atomically; `nil` removes the file, or empties it if the path is a link, which stays.
  ///
  /// - Parameters:
  ///   - before: the contents that were read; if they have changed since, nothing is written.
  ///   - verify: checks the finished file at a temporary path before it is moved into place.
  /// - Throws: ``KeychainError`` if that fails; any error of `verify`.
  func replace(
    _ before: [UInt8]?, with contents: [UInt8]?,
    verify: (_ path: String) throws(KeychainError) -> Void = { _ in }
  ) throws(KeychainError) {
    try refuseChange(since: before)
    guard let contents = contents ?? (ProgramLinks.linkTarget(path) == nil ? nil : []) else {
      return try remove(before)
    }
    try makeFolder()
    // People keep such files under stow: the link stays, and its target is changed.
    let access = isProgram && before == nil ? FileAccess(mode: 0o755) : FileAccess(ofFileAt: path)
    try write(contents, over: before, at: realPath(path) ?? path, access: access, verify: verify)
  }

  private func refuseChange(since before: [UInt8]?) throws(KeychainError) {
    if try contents() == before { return }
    throw .failure("\(path) has changed meanwhile", hint: "look at it, and try again", status: .keychain)
  }

  /// Makes the folder of the file and its parents, if they don't exist.
  func makeFolder() throws(KeychainError) {
    for folder in folders {
      if mkdir(folder, 0o700) != 0, errno != EEXIST {
        throw .failure("cannot make the folder \(folder): \(errorText(errno))", status: .keychain)
      }
    }
  }

  var missingFolders: [String] {
    folders.filter { access($0, F_OK) != 0 && errno == ENOENT }
  }

  /// From the root.
  private var folders: [String] {
    path.split(separator: "/").dropLast().reduce(into: []) { $0.append(($0.last ?? "") + "/" + $1) }
  }

  private static func contents(
    of path: String, belongingTo user: uid_t? = geteuid()
  ) throws(KeychainError) -> [UInt8]? {
    let descriptor = clinux_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
    if descriptor < 0 {
      if errno == ENOENT {
        try refuseDanglingLink(path)
        return nil
      }
      throw .failure("cannot read \(path): \(errorText(errno))", status: .keychain)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .failure("\(path) is not a regular file", status: .keychain)
    }
    if let user, status.st_uid != user { throw .failure("\(path) is another user's", status: .keychain) }
    return try StandardStreams.readAll(descriptor, limit: limit, what: path).withUnsafeBytes { Array($0) }
  }

  /// A file behind a dangling link isn't missing: its disk or folder may be away.
  ///
  /// - Throws: ``KeychainError`` if the path or one of its folders is such a link.
  private static func refuseDanglingLink(_ path: String) throws(KeychainError) {
    var part = ""
    for name in path.split(separator: "/") {
      part += "/" + name
      var status = stat()
      guard let target = ProgramLinks.linkTarget(part), stat(part, &status) != 0, errno == ENOENT else {
        continue
      }
      throw .failure(
        "\(part) is a link to \(target), which isn't there",
        hint: "put back what it leads to, or remove the link", status: .keychain)
    }
  }

  /// Writes the file that the path leads to.
  private func write(
    _ contents: [UInt8], over before: [UInt8]?, at target: String, access: FileAccess,
    verify: (_ path: String) throws(KeychainError) -> Void
  ) throws(KeychainError) {
    Self.removeTemporaries(of: target)
    let lock = target + Self.lockSuffix
    // An abandoned lock keeps others from changing the file.
    var held: HeldSignals?
    var isLocked = false
    defer {
      if isLocked { unlink(lock) }
      _ = held.take()
    }
    let failure = try contents.lendingBytes { (bytes) throws(KeychainError) in
      try replaceFile(target, with: bytes, access: access) { (temporary) throws(KeychainError) in
        try verify(temporary)
        held = HeldSignals()
        isLocked = try Self.locks(target, by: temporary)
        try refuseChange(since: before)
      }
    }
    if failure != 0 { throw .failure("cannot write \(target): \(errorText(failure))", status: .keychain) }
  }

  /// Removes the file, which is no link.
  private func remove(_ before: [UInt8]?) throws(KeychainError) {
    Self.removeTemporaries(of: path)
    let temporary = temporaryName(of: path)
    let held = HeldSignals()
    defer { withExtendedLifetime(held) {} }
    defer { unlink(temporary) }
    let isLocked = try Self.locks(path, by: path)
    defer { if isLocked { unlink(path + Self.lockSuffix) } }
    try refuseChange(since: before)
    // If this process is killed, this name still shows which file the lock is for.
    if rename(path, temporary) != 0 {
      throw .failure("cannot remove \(path): \(errorText(errno))", status: .keychain)
    }
  }

  /// Locks a file, and returns whether it did. The lock is a link to a file here, which tells the lock of a killed
  /// process from any other; without links, there is no lock.
  ///
  /// - Throws: ``KeychainError`` if another program has it.
  private static func locks(_ target: String, by file: String) throws(KeychainError) -> Bool {
    let lock = target + lockSuffix
    if link(file, lock) == 0 { return true }
    if errno != EEXIST { return false }
    throw .failure(
      "another program is changing \(target): there is \(lock)",
      hint: "try again; if none is, remove that file", status: .keychain)
  }

  /// A folder's files with one of these suffixes, by name; none if there is no such folder.
  static func all(in folder: String?, endingWith ends: [String]) -> [ConfigurationFile] {
    guard let folder else { return [] }
    return names(in: folder).filter { name in ends.contains { name.hasSuffix($0) } }.sorted().map {
      ConfigurationFile(path: "\(folder)/\($0)")
    }
  }

  private static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    return names
  }

  /// Removes temporary files and the lock left by processes that were killed while writing.
  private static func removeTemporaries(of path: String) {
    guard let slash = path.lastIndex(of: "/") else { return }
    let lock = path + lockSuffix
    if isSameFile(lock, path) { unlink(lock) }
    let folder = String(path[...slash])
    for name in names(in: folder) {
      let temporary = folder + name
      guard let process = temporaryOwner(temporary, of: path), kill(process, 0) != 0, errno == ESRCH
      else { continue }
      if isSameFile(lock, temporary) { unlink(lock) }
      removeTree(temporary)
    }
  }

  private static func isSameFile(_ path: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    return lstat(path, &first) == 0 && lstat(other, &second) == 0 && first.st_dev == second.st_dev
      && first.st_ino == second.st_ino
  }
}
