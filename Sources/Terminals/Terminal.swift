import Bytes
import CLinux
import Glibc
package import Keychain
import PrivateFiles

/// The person's own terminal, wherever standard input and output lead.
package struct Terminal: ~Copyable {
  /// What a person has answered.
  package enum Answer: ~Copyable {
    /// A line, without its end.
    case line(Secret)
    /// The end of the input (Ctrl-D), or the terminal is gone.
    case ended
    /// More than a terminal takes in one line, which cuts off what is over.
    case tooLong
    /// The echo can't be switched off, so nothing was asked.
    case unusable
  }

  /// How many bytes a line may have: of its 4096 the kernel cuts off what is over, without a word (termios(3),
  /// "Canonical mode").
  package static let longestLine = 4094

  fileprivate let descriptor: Int32

  /// Opens the controlling terminal; `nil` if there is none, or if it is another's turn to use it.
  ///
  /// A shell stops a job in the background that reads from the terminal, until somebody brings it to the foreground.
  /// Whoever started it there, as an editor or a prompt that fetches, waits for ever.
  package init?() {
    descriptor = clinux_openat(AT_FDCWD, "/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC, 0)
    if descriptor < 0 || !isInForeground { return nil }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Asks for a secret, without echo.
  ///
  /// The terminal is as before afterwards, also when a signal ends or suspends the program meanwhile; after a
  /// suspension it asks anew. What was typed ahead is not taken for the answer.
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

  /// The terminal of a person who may be asked; `nil` if that may not be, or nobody sits at standard input.
  package static func ofPerson(mayAsk: Bool) -> Terminal? {
    mayAsk && StandardStreams.isTerminal(0) ? Terminal() : nil
  }

  /// Asks a question that is answered by y or yes, or else isn't.
  package borrowing func confirms(_ question: TextForTerminal) -> Bool {
    ["y", "yes"].contains(answer(to: question + " [y/N] ")?.lowercased() ?? "")
  }

  /// Asks a question that is answered by one of several letters. `nil` if it is answered by anything else; the last of
  /// them if the input ends.
  package borrowing func ask(_ question: TextForTerminal, among letters: [Character]) -> Character? {
    guard let answer = answer(to: question) else { return letters.last }
    return answer.count == 1 ? letters.first { answer.lowercased() == String($0) } : nil
  }

  /// What is typed, at most 16 bytes of it; `nil` if the input ends.
  private borrowing func answer(to question: TextForTerminal) -> String? {
    show(question)
    var answer: [UInt8] = []
    var byte: UInt8 = 0
    while withUnsafeMutableBytes(of: &byte, { StandardStreams.read(descriptor, into: $0) }) == 1 {
      if byte == 0x0a { return String(decoding: answer, as: UTF8.self) }
      if answer.count < 16 { answer.append(byte) }
    }
    return nil
  }

  /// Shows a text.
  package borrowing func show(_ text: TextForTerminal) {
    _ = Secret(text.shown).withUnsafeBytes { writeFully(descriptor, $0) }
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
        // Stopped from outside, and the shell has used the terminal meanwhile.
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

  /// Waits until somebody continues this process in the foreground. `false` if nothing stops it, for it has no shell
  /// that could continue it.
  private borrowing func comesToForeground() -> Bool {
    for _ in 0..<100 {
      if isInForeground { return true }
      // Stops as reading in the background would, which the shell shows.
      raise(SIGTTIN)
    }
    return false
  }
}

/// How a terminal is set, to be put back.
package struct TerminalState: ~Copyable {
  private let terminal: Terminal
  private let attributes: termios

  /// `nil` if there is no terminal to use.
  package init?() {
    guard let terminal = Terminal(), let attributes = terminal.attributes() else { return nil }
    self.terminal = terminal
    self.attributes = attributes
  }

  package borrowing func restore() { terminal.set(attributes) }
}

extension Terminal {
  /// How it is set.
  fileprivate borrowing func attributes() -> termios? {
    var attributes = termios()
    return tcgetattr(descriptor, &attributes) == 0 ? attributes : nil
  }

  /// Sets it, unless it is another's turn: in the background it is the shell's, and as the shell wants it. What was
  /// typed ahead is dropped, and what was pasted after the end of the line.
  @discardableResult
  fileprivate borrowing func set(_ attributes: termios) -> Bool {
    guard isInForeground else { return false }
    var attributes = attributes
    while tcsetattr(descriptor, TCSAFLUSH, &attributes) != 0 { if errno != EINTR { return false } }
    return true
  }

  /// Switches the echo off; `false` if that can't be done.
  fileprivate borrowing func setSilent(_ before: termios) -> Bool {
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO | ECHONL)
    silent.c_lflag |= tcflag_t(ICANON | ISIG)
    // Where a program that died has left the terminal raw, the Enter key would end no line.
    silent.c_iflag |= tcflag_t(ICRNL)
    silent.c_iflag &= ~tcflag_t(IGNCR | INLCR)
    return set(silent)
  }
}
