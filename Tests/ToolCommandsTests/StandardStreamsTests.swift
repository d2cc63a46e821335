import Bytes
import Expectations
import Foundation
import Glibc
import Testing

@testable import ToolCommands

/// Node, for example, makes a pipe that it shares with its child processes non-blocking.
@Suite("Streams that another program has made non-blocking") struct StandardStreamsTests {
  private let size = 1 << 20

  private func pipe(nonBlocking end: Int) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    expect(Glibc.pipe(&ends), is: 0)
    expect(fcntl(ends[end], F_SETFL, O_NONBLOCK), is: 0)
    return (ends[0], ends[1])
  }

  @Test("what is written waits for its reader")
  func writing() throws {
    let ends = pipe(nonBlocking: 1)
    let size = size
    Thread.detachNewThread {
      var contents = Secret(capacity: size)
      contents.append(count: size) { buffer in
        for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: index) }
        return buffer.count
      }
      try? StandardStreams.write(contents, to: ends.write)
      close(ends.write)
    }
    let read = try StandardStreams.readAll(ends.read, limit: size, what: "the pipe")
    close(ends.read)
    expect(read.count, is: size)
  }

  @Test("what is read waits for its writer")
  func reading() throws {
    let ends = pipe(nonBlocking: 0)
    let size = size
    Thread.detachNewThread {
      let part = [UInt8](repeating: 7, count: 1024)
      for _ in 0..<(size / part.count) {
        _ = write(ends.write, part, part.count)
        sched_yield()
      }
      close(ends.write)
    }
    let read = try StandardStreams.readAll(ends.read, limit: size, what: "the pipe")
    close(ends.read)
    expect(read.count, is: size)
  }
}
