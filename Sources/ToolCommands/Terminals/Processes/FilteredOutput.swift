import Bytes
import Glibc
package import Keychain
import PrivateFiles

/// A pipe in place of a program's output, which changes the bytes on their way.
package final class FilteredOutput: Sendable {
  /// Takes bytes, and returns those to write. The second value says whether these are the last.
  package typealias Filter = @Sendable (UnsafeRawBufferPointer, Bool) -> Secret

  /// The program's descriptors that the pipe replaces.
  package let descriptors: [Int32]
  /// The program's end.
  let input: Int32
  private let output: Int32
  private let noted: (read: Int32, write: Int32)

  /// Makes a pipe; the bytes read from it go to the first of the descriptors.
  ///
  /// - Throws: ``KeychainError/system(operation:path:errno:)``.
  package init(_ descriptors: [Int32]) throws(KeychainError) {
    let ends = try Self.pipe()
    noted = try Self.pipe()
    self.descriptors = descriptors
    (output, input) = ends
  }

  private static func pipe() throws(KeychainError) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    if Glibc.pipe(&ends) != 0 { throw .system(operation: "make", path: "a pipe", errno: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Passes bytes on, on a thread of its own, until every program has closed its end. Call it once the program runs.
  ///
  /// If nobody reads them, or no thread can be started, the program notices as if it had written there itself.
  package func start(_ filter: @escaping Filter) {
    close(input)
    if startThread("output", { self.pass(filter) }) { return }
    close(output)
    close(noted.write)
  }

  private func pass(_ filter: Filter) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer {
      buffer.wipe()
      buffer.deallocate()
      close(output)
      close(noted.write)
    }
    while true {
      let count = read(output, buffer.baseAddress, buffer.count)
      if count < 0, errno == EINTR { continue }
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<max(0, count)])
      let shown = filter(bytes, count <= 0)
      let failure = shown.withUnsafeBytes { writeFully(descriptors[0], $0, waits: true) }
      if count <= 0 || failure != 0 { return }
    }
  }

  package func wait() {
    var byte: UInt8 = 0
    while read(noted.read, &byte, 1) < 0, errno == EINTR {}
    close(noted.read)
  }
}
