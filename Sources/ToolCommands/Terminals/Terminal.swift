import Bytes
import CLinux
import Glibc
package import Keychain
import PrivateFiles

package struct Terminal: ~Copyable {
  package enum Answer: ~Copyable {
    case line(Secret)
    /// The input has ended (Ctrl-D), or the terminal is gone.
    case ended
    /// The line is longer than a terminal accepts; the terminal cuts off the rest.
    case tooLong
    /// The echo can't be switched off, so the question was not asked.
    case unusable
  }

  /// The maximum length of a line, in bytes. The kernel silently cuts off lines at 4096 (termios(3), "Canonical mode").
  package static let longestLine = 4094

  fileprivate let descriptor: Int32

  /// Opens the controlling terminal; `nil` if there is none, or this process is in the background.
  ///
  /// A shell stops a background job that reads from the terminal until you bring it to the foreground. A program that
  /// runs llavero there, such as an editor or a prompt that fetches, would wait forever.
  package init?() {
    descriptor = clinux_openat(AT_FDCWD, "/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC, 0)
    if descriptor < 0 || !isInForeground { return nil }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Asks for a secret, without echo.
  ///
  /// The terminal's settings are restored afterwards, even if a signal ends or suspends the program meanwhile. After a
  /// suspension it asks again. Input typed ahead doesn't count as the answer.
  package borrowing func askForSecret(_ prompt: TextForTerminal) -> Answer {
    while true {
      let notes = SignalNotes(SignalNotes.ending + [SIGTSTP, SIGCONT])
      guard let before = attributes(), setSilent(before) else { return .unusable }
      show(prompt)
      let reading = readLine(notes, prompt, before)
      set(before)
      show("\n")
      switch consume reading {
      case .answer(let answer): return answer
      case .signal(let number):
        notes.pass(on: number)
        if number != SIGTSTP || !comesToForeground() { return .ended }
      }
    }
  }

  /// Gives up the terminal, so that no program run from now on asks there.
  package static func leave() { clinux_leave_terminal() }

  /// The user's terminal; `nil` if asking isn't allowed, or standard input isn't a terminal.
  package static func ofPerson(mayAsk: Bool) -> Terminal? {
    mayAsk && StandardStreams.isTerminal(0) ? Terminal() : nil
  }

  /// Asks for one of several letters. Returns `nil` for any other answer, and the last letter if the input ends.
  package borrowing func ask(_ question: TextForTerminal, among letters: [Character]) -> Character? {
    guard let answer = answer(to: question) else { return letters.last }
    return answer.count == 1 ? letters.first { answer.lowercased() == String($0) } : nil
  }

  /// The first `limit` bytes of the answer to a question; `nil` if the input ends, and the line is ended then.
  package borrowing func answer(to question: TextForTerminal, limit: Int = 16) -> String? {
    show(question)
    var answer: [UInt8] = []
    var byte: UInt8 = 0
    while withUnsafeMutableBytes(of: &byte, { StandardStreams.read(descriptor, into: $0) }) == 1 {
      if byte == 0x0a { return String(decoding: answer, as: UTF8.self) }
      if answer.count < limit { answer.append(byte) }
    }
    show("\n")
    return nil
  }

  package borrowing func show(_ text: TextForTerminal) { write(Secret(text.shown)) }

  /// Writes bytes that may be secret, with any control sequences in them.
  package borrowing func write(_ text: borrowing Secret) {
    _ = text.withUnsafeBytes { writeFully(descriptor, $0) }
  }

  private enum Reading: ~Copyable {
    case answer(Answer)
    case signal(Int32)
  }

  private borrowing func readLine(
    _ notes: borrowing SignalNotes, _ prompt: TextForTerminal, _ before: termios
  ) -> Reading {
    var line = Secret(capacity: 512)
    while true {
      var waiting = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: notes.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      if poll(&waiting, 2, -1) < 0, errno != EINTR { return .answer(.ended) }
      if let number = notes.next() {
        if number != SIGCONT { return .signal(number) }
        // While the process was stopped, the shell has used the terminal.
        _ = setSilent(before)
        show("\n" + prompt)
        line.truncate(to: 0)
        continue
      }
      if waiting[0].revents == 0 { continue }
      var count = 0
      line.append(count: 512) { buffer in
        count = StandardStreams.read(descriptor, into: buffer)
        return max(0, count)
      }
      if count <= 0 { return .answer(.ended) }
      if line.count > Self.longestLine + 1 { return .answer(.tooLong) }
      if line.withUnsafeBytes({ $0.last == 0x0a }) {
        line.truncate(to: line.count - 1)
        return .answer(.line(line))
      }
    }
  }

  fileprivate var isInForeground: Bool { tcgetpgrp(descriptor) == getpgrp() }

  /// Waits until this process is continued in the foreground. Returns `false` if nothing stops it, because no shell
  /// could continue it.
  private borrowing func comesToForeground() -> Bool {
    for _ in 0..<100 {
      if isInForeground { return true }
      // Stop as a read in the background would, so that the shell reports it.
      raise(SIGTTIN)
    }
    return false
  }
}

/// A terminal's settings, to be restored later.
package struct TerminalState: ~Copyable {
  private let terminal: Terminal
  private let attributes: termios

  package init?() {
    guard let terminal = Terminal(), let attributes = terminal.attributes() else { return nil }
    self.terminal = terminal
    self.attributes = attributes
  }

  /// Restores them if a program has left the terminal without echo or line editing. Otherwise does nothing: that would
  /// discard typed-ahead input, and undo what others have changed.
  package borrowing func restore() {
    guard let present = terminal.attributes() else { return }
    if attributes.c_lflag & ~present.c_lflag & tcflag_t(ECHO | ICANON) != 0 { terminal.set(attributes) }
  }
}

extension Terminal {
  fileprivate borrowing func attributes() -> termios? {
    var attributes = termios()
    return tcgetattr(descriptor, &attributes) == 0 ? attributes : nil
  }

  /// Applies settings, unless this process is in the background, where the terminal belongs to the shell. Discards
  /// input that was typed ahead, or pasted after the end of the line.
  @discardableResult
  fileprivate borrowing func set(_ attributes: termios) -> Bool {
    guard isInForeground else { return false }
    var attributes = attributes
    while tcsetattr(descriptor, TCSAFLUSH, &attributes) != 0 { if errno != EINTR { return false } }
    return true
  }

  /// Switches the echo off. Returns `false` if that fails.
  fileprivate borrowing func setSilent(_ before: termios) -> Bool {
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO | ECHONL)
    silent.c_lflag |= tcflag_t(ICANON | ISIG)
    // A program that died may have left the terminal in raw mode, where Enter doesn't end a line.
    silent.c_iflag |= tcflag_t(ICRNL)
    silent.c_iflag &= ~tcflag_t(IGNCR | INLCR)
    return set(silent)
  }
}
