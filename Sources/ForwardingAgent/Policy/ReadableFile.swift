import Bytes
import CLinux
import Glibc
import PrivateFiles

/// A file that others may read, too, such as `known_hosts`.
final class ReadableFile {
  private let descriptor: Int32
  let status: FileStatus

  /// The largest file that is read, in bytes.
  private static let maximumSize = 16 << 20

  /// `nil` if there is no such file, or it can't be read.
  init?(path: String) {
    let descriptor = clinux_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
    if descriptor < 0 { return nil }
    guard let status = try? FileStatus(of: descriptor, path: path), status.isRegularFile,
      status.size <= Self.maximumSize
    else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    self.status = status
  }

  deinit { close(descriptor) }

  /// The contents; `nil` if they can't be read.
  func contents() -> [UInt8]? {
    var isWhole = false
    let bytes = [UInt8](unsafeUninitializedCapacity: status.size) { memory, count in
      isWhole = readFully(descriptor, at: 0, into: UnsafeMutableRawBufferPointer(memory)) == 0
      count = isWhole ? memory.count : 0
    }
    return isWhole ? bytes : nil
  }
}
