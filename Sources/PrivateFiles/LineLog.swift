package import Bytes
import CLinux
import Glibc

/// A log with an entry in each line. It keeps two files; when the newer is full, it replaces the older.
package final class LineLog {
  private let folder: String
  private let name: String
  private var formerName: String { "\(name).1" }
  private let maximumSize: Int

  /// - Parameters:
  ///   - folder: where the files are.
  ///   - name: the name of the newer file; the older one's ends in `.1`.
  ///   - maximumSize: the size at which a file is full, in bytes: by default some tens of thousands of requests.
  package init(in folder: String, named name: String, maximumSize: Int = 8 << 20) {
    self.folder = folder
    self.name = name
    self.maximumSize = maximumSize
  }

  package struct Position {
    fileprivate var file: UInt64?
    fileprivate var offset = 0

    package init() {}
  }

  /// Passes on each line added since, without its end.
  ///
  /// - Throws: what `body` throws.
  package func read<Failure: Error>(
    from position: inout Position, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let newer = OpenLog("\(folder)/\(name)")
    if newer?.file != position.file || newer == nil, let older = OpenLog("\(folder)/\(formerName)"),
      position.file == nil || position.file == older.file
    {
      if position.file == nil { position.offset = 0 }
      try older.read(from: &position.offset, body)
      position.file = nil
    }
    guard let newer else { return }
    if position.file != newer.file {
      position.file = newer.file
      position.offset = 0
    }
    try newer.read(from: &position.offset, body)
  }

  /// Adds a line, which ends with a line feed. A failure loses only this line.
  package func append(_ line: borrowing Secret) {
    guard let folder = try? Folder(creating: folder) else { return }
    let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC
    let file = clinux_openat(folder.descriptor, name, flags, 0o600)
    if file < 0 { return }
    defer { close(file) }
    line.withUnsafeBytes { line in
      _ = write(file, line.baseAddress, line.count)
    }
    var status = stat()
    if fstat(file, &status) == 0, status.st_size >= maximumSize {
      renameat(folder.descriptor, name, folder.descriptor, formerName)
    }
  }
}

private final class OpenLog {
  let file: UInt64
  private let descriptor: Int32

  init?(_ path: String) {
    let descriptor = clinux_openat(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0)
    if descriptor < 0 { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    file = UInt64(status.st_ino)
  }

  deinit { close(descriptor) }

  /// Reads whole lines from an offset, and moves it behind them.
  func read<Failure: Error>(
    from offset: inout Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = pread(descriptor, &buffer, buffer.count, off_t(offset + bytes.count))
      if count <= 0 { break }
      bytes += buffer[..<count]
    }
    var start = 0
    while let end = bytes[start...].firstIndex(of: 0x0a) {
      let line = Array(bytes[start..<end])
      offset += line.count + 1
      start = end + 1
      try line.lendingBytes(body)
    }
  }
}
