import Bytes
import CLinux
import EncryptedFile
import Glibc
import Keychain
import PrivateFiles
import SecretServiceProvider
import Terminals

/// The file with what you have decided about programs, which you can read and edit. Each line is `allow`, the item's UUID,
/// its mark and the program's file, or `deny`, the item's UUID and the program's file; what follows `#` at the beginning of
/// a line is a remark.
final class RememberedPrograms {
  private let path: String
  private let say: (String) -> Void
  private var saidAbout: [UInt8] = []
  /// What the file said when it was last read.
  private var read: (state: FileState, permissions: [ProgramPermission])?

  private struct FileState: Equatable {
    let number: UInt64
    let size: Int
    let seconds: Int
    let nanoseconds: Int

    init(_ status: stat) {
      number = UInt64(status.st_ino)
      size = Int(status.st_size)
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }

  /// The largest file that is read, in bytes.
  private static let sizeLimit = 4 << 20

  /// - Throws: ``KeychainError/unavailable(reason:)`` without a home.
  init(say: @escaping (String) -> Void) throws(KeychainError) {
    func folder(_ name: String) -> String? {
      VaultLocation.environmentVariable(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    guard let home = folder("HOME") else { throw .unavailable(reason: "HOME is not set to an absolute path") }
    path = (folder("XDG_CONFIG_HOME") ?? home + "/.config") + "/llavero/serve.programs"
    self.say = say
  }

  /// What it says. A file with a line that can't be understood allows nothing, and that is said once.
  func all() -> [ProgramPermission] {
    let descriptor = clinux_openat(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0)
    if descriptor < 0 {
      if errno != ENOENT { complain("can't be read", []) }
      return []
    }
    defer { close(descriptor) }
    var status = stat()
    // Whoever else may write to it could allow programs everything.
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
      status.st_mode & 0o022 == 0
    else {
      complain("isn't a file that only you can change", [])
      return []
    }
    guard status.st_size <= Self.sizeLimit else {
      complain("is larger than 4 MiB", [])
      return []
    }
    let state = FileState(status)
    if let read, read.state == state { return read.permissions }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count == bytes.count else { return [] }
    var permissions: [ProgramPermission] = []
    for line in bytes.split(separator: 0x0a) where line.first != UInt8(ascii: "#") {
      guard let permission = Self.permission(String(decoding: line, as: UTF8.self)) else {
        complain("has a line that can't be understood", bytes)
        return []
      }
      permissions.append(permission)
    }
    read = (state, permissions)
    return permissions
  }

  static func permission(_ line: String) -> ProgramPermission? {
    let isAllowed = line.hasPrefix("allow ")
    var words = line.split(separator: " ", maxSplits: isAllowed ? 3 : 2, omittingEmptySubsequences: false)
      .map(String.init)
    guard isAllowed || words[0] == "deny", words.count > 2 else { return nil }
    let mark = isAllowed ? words.remove(at: 2) : nil
    guard words.count == 3, words[1].utf8.count == 36, words[2].hasPrefix("/"), mark?.utf8.count ?? 64 == 64
    else { return nil }
    return ProgramPermission(program: words[2], item: ItemReference(ByteString(words[1])), mark: mark)
  }

  static func line(_ permission: ProgramPermission) -> String? {
    let item = permission.item.bytes
    let line =
      (permission.mark.map { "allow \(item) \($0) " } ?? "deny \(item) ") + permission.program
    guard let read = Self.permission(line), read.item == permission.item, read.program == permission.program,
      !line.utf8.contains(0x0a)
    else { return nil }
    let name = showingInvisible(permission.name).prefix(200)
    return (name.isEmpty ? "" : "# \(name)\n") + line + "\n"
  }

  /// Adds lines. Returns whether all of them are there.
  func add(_ permissions: [ProgramPermission]) -> Bool {
    let lines = permissions.compactMap(Self.line)
    guard lines.count == permissions.count,
      let slash = path.lastIndex(of: "/"), let folder = try? Folder(creating: String(path[..<slash]))
    else { return false }
    let name = String(path[path.index(after: slash)...])
    let flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC
    let descriptor = clinux_openat(folder.descriptor, name, flags, 0o600)
    if descriptor < 0 { return false }
    defer { close(descriptor) }
    // Somebody's editor may have left the last line without an end.
    var last: UInt8 = 0x0a
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_size > 0 { pread(descriptor, &last, 1, status.st_size - 1) }
    let text = Array(((last == 0x0a ? "" : "\n") + lines.joined()).utf8)
    return text.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) == $0.count }
      && fsync(descriptor) == 0
  }

  private func complain(_ what: String, _ contents: [UInt8]) {
    if saidAbout == contents, !contents.isEmpty { return }
    saidAbout = contents
    say("\(path) \(what), so no program is allowed by it")
  }
}
