import Bytes
import CLinux
import EncryptedFile
import Glibc
import Keychain
import PrivateFiles
import ToolCommands

/// The file with your decisions about programs, which you can read and edit. Each line is `allow`, the item's UUID,
/// its mark and the program's file, or `deny`, the item's UUID and the program's file; lines that begin with `#` are
/// remarks.
final class RememberedPrograms {
  private let folder: String
  private let name = "serve.programs"
  private let say: (String) -> Void
  /// The last complaint, and the file's state then.
  private var said: (complaint: String, status: FileStatus?)?
  /// The contents at the last reading.
  private var read: (status: FileStatus, permissions: [ProgramPermission])?

  /// In bytes.
  private static let sizeLimit = 4 << 20

  /// - Throws: ``KeychainError/unavailable(reason:)`` without a home.
  init(say: @escaping (String) -> Void) throws(KeychainError) {
    func folder(_ name: String) -> String? {
      VaultLocation.environmentVariable(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    guard let home = folder("HOME") else { throw .unavailable(reason: "HOME is not set to an absolute path") }
    self.folder = (folder("XDG_CONFIG_HOME") ?? home + "/.config") + "/llavero"
    self.say = say
  }

  private var path: String { folder + "/" + name }

  /// Opens the file to read or extend it, both by the same rule: anybody else who can change it, or its folder, could
  /// allow programs everything. `nil` if there is none.
  private func open(_ flags: Int32) throws(KeychainError) -> (descriptor: Int32, status: FileStatus)? {
    let parent = clinux_openat(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    if parent < 0, errno == ENOENT { return nil }
    if parent < 0 { throw .system(operation: "open", path: folder, errno: errno) }
    defer { close(parent) }
    try FileStatus(of: parent, path: folder).refuseAccessByOthers(path: folder, mayBeRead: true)
    let file = clinux_openat(parent, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
    if file < 0, errno == ENOENT { return nil }
    if file < 0, errno == ELOOP { throw .unsafeFile(path: path, .symbolicLink) }
    if file < 0 { throw .system(operation: "open", path: path, errno: errno) }
    return (file, try FileStatus(ofOwnFile: file, path: path, mayBeRead: true))
  }

  /// Its permissions. A file that can't be used, or has an unreadable line, allows nothing; it complains of that once.
  func all() -> [ProgramPermission] {
    do throws(KeychainError) {
      guard let (descriptor, status) = try open(O_RDONLY) else { return [] }
      defer { close(descriptor) }
      if said?.status == nil { said = nil }
      if let read, read.status == status { return read.permissions }
      let found = permissions(descriptor, status)
      read = (status, found ?? [])
      return found ?? []
    } catch {
      complain("\(error.message), so no program is allowed by it", nil)
      return []
    }
  }

  private func permissions(_ descriptor: Int32, _ status: FileStatus) -> [ProgramPermission]? {
    guard status.size <= Self.sizeLimit else {
      complain("\(path) is larger than 4 MiB, so no program is allowed by it", status)
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: status.size)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    var permissions: [ProgramPermission] = []
    for line in bytes.prefix(max(0, count)).split(separator: 0x0a)
    where line.first != UInt8(ascii: "#") && line.first != UInt8(ascii: "\r") {
      guard let permission = Self.permission(String(decoding: line, as: UTF8.self)) else {
        complain("\(path) has a line that can't be understood, so no program is allowed by it", status)
        return nil
      }
      permissions.append(permission)
    }
    return permissions
  }

  static func permission(_ line: String) -> ProgramPermission? {
    // As an editor of Windows ends it.
    let line = line.utf8.last == 0x0d ? String(line.unicodeScalars.dropLast()) : line
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
    guard let read = Self.permission(line), read.item == permission.item,
      ByteString(read.program) == ByteString(permission.program), !line.utf8.contains(0x0a)
    else { return nil }
    let name = showingInvisible(permission.name).prefix(200)
    return (name.isEmpty ? "" : "# \(name)\n") + line + "\n"
  }

  /// Adds lines. Returns whether all were added, and complains if not.
  func add(_ permissions: [ProgramPermission]) -> Bool {
    let lines = permissions.compactMap(Self.line)
    if lines.count < permissions.count { return isForgotten("\(path) can't name this program") }
    do throws(KeychainError) {
      if !FileStatus.isThere(folder) { _ = try Folder(creating: folder) }
      guard let (descriptor, status) = try open(O_RDWR | O_APPEND | O_CREAT) else {
        throw .missing(path: folder)
      }
      defer { close(descriptor) }
      // An editor may have left the last line without an end.
      var last: UInt8 = 0x0a
      if status.size > 0 { pread(descriptor, &last, 1, status.size - 1) }
      let text = Array(((last == 0x0a ? "" : "\n") + lines.joined()).utf8)
      let isWritten = text.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) == $0.count }
      if !isWritten || fsync(descriptor) != 0 { throw .system(operation: "write", path: path, errno: errno) }
      return true
    } catch {
      return isForgotten(error.message)
    }
  }

  private func isForgotten(_ why: String) -> Bool {
    say("\(why), so your answer about a program is forgotten when the service ends")
    return false
  }

  private func complain(_ complaint: String, _ status: FileStatus?) {
    if let said, said.complaint == complaint, said.status == status { return }
    said = (complaint, status)
    say(complaint)
  }
}
