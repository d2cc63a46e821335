import Bytes
import CLinux
import CredentialProtocols
import EncryptedFile
import Glibc
import Keychain
import PrivateFiles

/// The process that started this one, as the kernel describes it.
struct CallingProcess: Caller {
  let programName: ByteString?
  private let identifier: pid_t
  /// In ticks since boot. It differs from that of any later process with the same number.
  private let start: ByteString

  init() {
    identifier = getppid()
    // On a system that hides other users' processes, such a process seems not to exist.
    let running = RunningProcess(identifier)
    programName = running?.programName
    start = running?.start ?? "0"
  }

  func value(ofOptions names: [String]) -> Secret? {
    let file = clinux_openat(AT_FDCWD, "/proc/\(identifier)/cmdline", O_RDONLY | O_CLOEXEC, 0)
    if file < 0 { return nil }
    defer { close(file) }
    let text = try? StandardStreams.readAll(file, limit: 1 << 20, what: "the command line")
    guard let line = consume text else { return nil }
    return line.withUnsafeBytes { line in
      let words = line.split(separator: 0, omittingEmptySubsequences: false)
      var found: Slice<UnsafeRawBufferPointer>?
      for (index, word) in words.enumerated() {
        for name in names where word.starts(with: name.utf8) {
          let rest = word.dropFirst(name.utf8.count)
          if rest.first == UInt8(ascii: "=") { found = rest.dropFirst() }
          if rest.isEmpty, index + 1 < words.count { found = words[index + 1] }
        }
      }
      return found.map { Secret(copying: UnsafeRawBufferPointer(rebasing: $0)) }
    }
  }

  func paths(of file: ByteString) -> [ByteString] {
    var written = file
    if file.bytes.first != UInt8(ascii: "/") {
      guard let folder = getcwd(nil, 0) else { return [] }
      defer { free(folder) }
      written = ByteString(CString(pointer: folder).bytes.bytes + [UInt8(ascii: "/")] + file.bytes)
    }
    let real = (written.bytes + [0]).withUnsafeBytes { path -> ByteString? in
      guard let base = path.baseAddress,
        let real = realpath(base.assumingMemoryBound(to: CChar.self), nil)
      else { return nil }
      defer { free(real) }
      return CString(pointer: real).bytes
    }
    guard let real, real != written else { return [written] }
    return [written, real]
  }

  // MARK: Recorded answers

  private static let prefix = "askpass-"

  /// Records an answer as an empty file, named after the process and a hash of the question.
  func notesAnswer(to question: ByteString) throws(KeychainError) -> Bool {
    let folder = try Folder(creating: try Self.place())
    Self.removeOldNotes(in: folder)
    let hash = String(fnv1a(question.bytes), radix: 16)
    let name = "\(Self.prefix)\(identifier)-\(start)-\(hash)"
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let note = clinux_openat(folder.descriptor, name, flags, 0o600)
    if note < 0, errno == EEXIST { return false }
    if note < 0 {
      throw .system(operation: "create", path: folder.path(of: name), errno: errno)
    }
    close(note)
    return true
  }

  /// The folder for the files, as for the agent: the runtime folder, which disappears after logout, or else the state
  /// folder.
  private static func place() throws(KeychainError) -> String {
    let location = try VaultLocation()
    guard let runtime = VaultLocation.environmentVariable("XDG_RUNTIME_DIR"), runtime.hasPrefix("/"),
      let folder = try? Folder(opening: runtime), folder.descriptor >= 0
    else { return location.stateFolder }
    return runtime + "/llavero"
  }

  /// Removes the files of processes that are gone. A container that shares the folder doesn't see all processes, so
  /// each file stays for at least two minutes.
  private static func removeOldNotes(in folder: borrowing Folder) {
    for name in (try? folder.names { $0.starts(with: prefix.utf8) }) ?? [] {
      let words = name.split(separator: "-")
      var status = stat()
      guard words.count > 1, let identifier = pid_t(words[1]),
        fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
        SystemClock.date / 1000 - status.st_mtim.tv_sec > 120,
        identifier < 2 || kill(identifier, 0) != 0 && errno == ESRCH
      else { continue }
      unlinkat(folder.descriptor, name, 0)
    }
  }
}
