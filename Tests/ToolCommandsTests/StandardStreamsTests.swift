import Bytes
import Expectations
import Foundation
import Glibc
import Testing

@testable import ToolCommands

/// Node, for example, makes a pipe that it shares with its child processes non-blocking.
@Suite("Streams that another program has made non-blocking") struct StandardStreamsTests {
  private let size = 1 << 20

  /// Reads all of a pipe with one end that is non-blocking, while a thread writes `size` bytes to the other end.
  private func expectAll(
    nonBlocking end: Int, write: @escaping @Sendable (_ end: Int32, _ size: Int) -> Void
  ) throws {
    var ends: [Int32] = [-1, -1]
    expect(pipe(&ends), is: 0)
    expect(fcntl(ends[end], F_SETFL, O_NONBLOCK), is: 0)
    let (reading, writing, size) = (ends[0], ends[1], size)
    Thread.detachNewThread {
      write(writing, size)
      close(writing)
    }
    let read = try StandardStreams.readAll(reading, limit: size, what: "the pipe")
    close(reading)
    expect(read.count, is: size)
  }

  @Test("what is written waits for its reader")
  func writing() throws {
    try expectAll(nonBlocking: 1) { end, size in
      var contents = Secret(capacity: size)
      contents.append(count: size) { buffer in
        for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: index) }
        return buffer.count
      }
      try? StandardStreams.write(contents, to: end)
    }
  }

  @Test("what is read waits for its writer")
  func reading() throws {
    try expectAll(nonBlocking: 0) { end, size in
      let part = [UInt8](repeating: 7, count: 1024)
      for _ in 0..<(size / part.count) {
        _ = write(end, part, part.count)
        sched_yield()
      }
    }
  }
}
