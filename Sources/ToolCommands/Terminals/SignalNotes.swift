import Bytes
import CLinux
import Glibc

/// Catches signals while it exists, and notes them in a pipe that can be polled with other descriptors.
///
/// This is the "self-pipe trick": a handler can do hardly anything, and `poll` alone misses a signal that arrives just
/// before it. Only one instance can exist at a time. At its end, signals that nobody has read take their normal
/// effect, so that none is lost.
package struct SignalNotes: ~Copyable {
  package static let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]

  /// Readable when a signal has been noted; -1 if there was no descriptor left for a pipe.
  package let descriptor: Int32
  private let writeEnd: Int32
  private var caught: [(number: Int32, before: sigaction)] = []

  /// Starts to catch signals. Those that are ignored stay ignored, except `SIGCHLD`.
  package init(_ numbers: [Int32]) {
    var ends: [Int32] = [-1, -1]
    guard clinux_pipe(&ends) == 0 else {
      descriptor = -1
      writeEnd = -1
      return
    }
    descriptor = ends[0]
    writeEnd = ends[1]
    clinux_note_signals(writeEnd)
    for number in numbers {
      var before = sigaction()
      if clinux_catch_signal(number, &before) { caught.append((number, before)) }
    }
  }

  deinit {
    for (number, before) in caught {
      withUnsafePointer(to: before) { clinux_restore_signal(number, $0) }
    }
    clinux_note_signals(-1)
    if descriptor >= 0 {
      while let number = next() { Self.takeEffect(number) }
      close(descriptor)
      close(writeEnd)
    }
  }

  package borrowing func next() -> Int32? {
    if descriptor < 0 { return nil }
    var number: UInt8 = 0
    let count = withUnsafeMutableBytes(of: &number) { StandardStreams.read(descriptor, into: $0) }
    return count == 1 ? Int32(number) : nil
  }

  /// Stops catching signals, and lets this one take its normal effect.
  package consuming func pass(on number: Int32) {
    var later: [Int32] = []
    while let other = next() { if other != number { later.append(other) } }
    // The parent process should see which signal ended this one.
    _ = consume self
    raise(number)
    for other in later { Self.takeEffect(other) }
  }

  private static func takeEffect(_ number: Int32) {
    if number != SIGCHLD, number != SIGCONT { raise(number) }
  }
}
