import Bytes
import CLinux
import Glibc
import PrivateFiles

/// A file that others may read, too, such as `known_hosts`.
final class ReadableFile {
  private let descriptor: Int32
  let status: FileStatus

  /// `nil` if the file is missing, unreadable, or larger than `maximumSize` bytes.
  init?(path: String, maximumSize: Int = 16 << 20) {
    let descriptor = clinux_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
    if descriptor < 0 { return nil }
    guard let status = try? FileStatus(of: descriptor, path: path), status.isRegularFile,
      status.size <= maximumSize
    else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    self.status = status
  }

  deinit { close(descriptor) }

  func contains(_ text: StaticString) -> Bool {
    guard let memory = mmap(nil, status.size, PROT_READ, MAP_PRIVATE, descriptor, 0), memory != MAP_FAILED
    else {
      return false
    }
    defer { munmap(memory, status.size) }
    return clinux_contains(memory, status.size, text.utf8Start, text.utf8CodeUnitCount)
  }

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
