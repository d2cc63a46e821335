import Bytes
import CLinux
import Glibc
import Keychain
import PrivateFiles
import Processes

/// A file of another program's configuration. It may hold passwords: what is written beside it is for its owner alone.
struct ConfigurationFile {
  /// As a person knows it.
  let path: String

  /// The most that such a file may have, in bytes.
  private static let limit = 4 << 20

  /// Where what was there before is kept.
  var backupPath: String { path + ".before-llavero" }

  /// What it says; `nil` if it isn't there.
  ///
  /// - Throws: ``Failure`` if it can't be read, or is another user's.
  func contents() throws(Failure) -> [UInt8]? { try Self.contents(of: path) }

  /// What it said before; `nil` if it wasn't there.
  func backup() throws(Failure) -> [UInt8]? { try Self.contents(of: backupPath) }

  /// Gives it new contents, all at once, and keeps the former ones beside it.
  ///
  /// - Parameter before: what was read; if there is something else by now, nothing is written.
  /// - Throws: ``Failure`` if that can't be done.
  func replace(_ before: [UInt8]?, with contents: [UInt8]) throws(Failure) {
    try makeFolder()
    if let before { try Self.write(before, to: backupPath, mode: 0o600) }
    try replaceUnlessChanged(before, with: contents)
  }

  /// Gives it back what was there before; `nil` removes the file. What was kept beside it goes.
  func restore(_ present: [UInt8], to contents: [UInt8]?) throws(Failure) {
    if let contents {
      try replaceUnlessChanged(present, with: contents)
    } else {
      guard try self.contents() == present else { throw changedMeanwhile }
      if unlink(path) != 0 { throw Failure("cannot remove \(path): \(errorText(errno))", status: .keychain) }
    }
    unlink(backupPath)
  }

  private func replaceUnlessChanged(_ before: [UInt8]?, with contents: [UInt8]) throws(Failure) {
    guard try self.contents() == before else { throw changedMeanwhile }
    var status = stat()
    let mode = stat(path, &status) == 0 ? status.st_mode & 0o777 : 0o600
    // People keep such files under stow: the link stays.
    try Self.write(contents, to: ProgramLinks.realPath(path) ?? path, mode: mode)
  }

  private var changedMeanwhile: Failure {
    Failure("\(path) has changed meanwhile", hint: "look at it, and try again", status: .keychain)
  }

  /// Makes the folder that it is in, and those above it, where they are missing.
  func makeFolder() throws(Failure) {
    var made = ""
    for part in path.split(separator: "/").dropLast() {
      made += "/" + part
      if mkdir(made, 0o700) != 0, errno != EEXIST {
        throw Failure("cannot make the folder \(made): \(errorText(errno))", status: .keychain)
      }
    }
  }

  private static func contents(of path: String) throws(Failure) -> [UInt8]? {
    let descriptor = clinux_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
    if descriptor < 0 {
      if errno == ENOENT { return nil }
      throw Failure("cannot read \(path): \(errorText(errno))", status: .keychain)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Failure("\(path) is no file", status: .keychain)
    }
    guard status.st_uid == geteuid() else { throw Failure("\(path) is another user's", status: .keychain) }
    return try StandardStreams.readAll(descriptor, limit: limit, what: path).withUnsafeBytes { Array($0) }
  }

  private static func write(_ contents: [UInt8], to path: String, mode: mode_t) throws(Failure) {
    let temporary = "\(path).\(getpid()).tmp"
    unlink(temporary)
    let descriptor = clinux_openat(
      AT_FDCWD, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    var failure = descriptor < 0 ? errno : contents.withUnsafeBytes { writeFully(descriptor, $0) }
    if descriptor >= 0 {
      if failure == 0, fchmod(descriptor, mode) != 0 || fsync(descriptor) != 0 { failure = errno }
      close(descriptor)
    }
    if failure == 0, rename(temporary, path) != 0 { failure = errno }
    if failure != 0 {
      unlink(temporary)
      throw Failure("cannot write \(path): \(errorText(failure))", status: .keychain)
    }
  }
}
