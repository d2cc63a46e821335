import Bytes
import CLinux
import Glibc

/// Catches signals for as long as it lives and notes them in a pipe, to be polled beside other descriptors.
///
/// A handler can do next to nothing, and with `poll` alone a signal that comes just before it is lost (the "self-pipe
/// trick"). There is at most one at a time.
package struct SignalNotes: ~Copyable {
  /// What ends a program from outside, or from the keyboard.
  package static let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]

  /// Readable when a signal has been noted; -1 where there was no descriptor left for a pipe.
  package let descriptor: Int32
  private let writeEnd: Int32
  private var caught: [(number: Int32, before: sigaction)] = []

  /// Those of the signals that are ignored stay so, but for `SIGCHLD`.
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
      close(descriptor)
      close(writeEnd)
    }
  }

  /// The signal that was noted first; `nil` if there is none.
  package borrowing func next() -> Int32? {
    if descriptor < 0 { return nil }
    var number: UInt8 = 0
    let count = withUnsafeMutableBytes(of: &number) { StandardStreams.read(descriptor, into: $0) }
    return count == 1 ? Int32(number) : nil
  }

  /// Stops catching, and lets a signal do what it would have done.
  package consuming func pass(on number: Int32) {
    // What waits for this process is to see which signal ended it.
    _ = consume self
    raise(number)
  }
}
