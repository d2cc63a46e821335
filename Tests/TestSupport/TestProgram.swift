package import Bytes
package import CLinux
import Glibc

/// A program that a test starts. It has no terminal, so that the user who runs the tests can't be asked, and of the
/// descriptors only its standard streams: it would keep open what another test waits to see closed.
package enum TestProgram {
  /// What a program has printed, and how it ended.
  package struct Ended: Sendable {
    package var output: [UInt8] = []
    package var errors: [UInt8] = []
    package let ending: ProgramEnding
  }

  /// A program that could not be started.
  package struct NotStarted: Error {
    package let words: [String]
    package let errno: Int32
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - words: its arguments, beginning with its name.
  ///   - path: its executable; `nil` for the one on the PATH that has its name.
  ///   - streams: its standard input, output and error.
  ///   - variables: its whole environment; `nil` for that of this process.
  /// - Returns: the process, which has to be waited for.
  package static func start(
    _ words: [String], at path: String? = nil, _ streams: [ProgramStart.Descriptor] = [.null, .null, .null],
    variables: [String: String]? = nil
  ) throws -> pid_t {
    let words = words.map { CString(copying: $0) }
    let environment = variables?.map { CString(copying: "\($0)=\($1)") }
    do {
      return try ProgramStart(
        words, at: path.map { CString(copying: $0) }, streams, .background, environment: environment
      ).run()
    } catch {
      throw NotStarted(words: words.map(\.text), errno: error.errno)
    }
  }

  /// Waits for the end of a program.
  @discardableResult
  package static func wait(for process: pid_t) -> ProgramEnding {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 { if errno != EINTR { return .exited(-1) } }
    return ProgramEnding(waitStatus: status)
  }

  /// Runs a program without input and output, and returns how it ended.
  @discardableResult
  package static func run(_ words: [String]) throws -> ProgramEnding { wait(for: try start(words)) }

  /// Runs a program, and returns when it has ended and nobody has its output open any more.
  package static func run(
    _ words: [String], input: [UInt8] = [], variables: [String: String]? = nil
  ) async throws -> Ended {
    try await aheadOfOthers {
      try await withCheckedThrowingContinuation { continuation in
        // Not on one of the few threads of all tasks: many programs wait for another.
        let isStarted = startThread("program") {
          continuation.resume(with: Result { try communicate(words, input, variables) })
        }
        precondition(isStarted, "no thread can be started")
      }
    }
  }

  private static func communicate(
    _ words: [String], _ input: [UInt8], _ variables: [String: String]?
  ) throws -> Ended {
    guard let given = tmpfile(), fwrite(input, 1, input.count, given) == input.count else {
      fatalError("no file for the input")
    }
    rewind(given)
    var (output, errors): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    guard clinux_pipe(&output) == 0, clinux_pipe(&errors) == 0 else { fatalError("no pipes") }
    for end in [output[1], errors[1]] { clinux_make_blocking(end) }
    defer { for end in [output[0], errors[0]] { close(end) } }
    let process: pid_t
    do {
      defer {
        for end in [output[1], errors[1]] { close(end) }
        fclose(given)
      }
      process = try start(
        words, [.copy(of: fileno(given)), .copy(of: output[1]), .copy(of: errors[1])], variables: variables)
    }
    var texts: [[UInt8]] = [[], []]
    var waiting = [output[0], errors[0]].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while waiting.contains(where: { $0.fd >= 0 }) {
      poll(&waiting, 2, -1)
      for index in 0...1 where waiting[index].fd >= 0 && waiting[index].revents != 0 {
        let count = read(waiting[index].fd, &buffer, buffer.count)
        if count > 0 { texts[index] += buffer[..<count] }
        if count == 0 { waiting[index].fd = -1 }
      }
    }
    return Ended(output: texts[0], errors: texts[1], ending: wait(for: process))
  }
}
