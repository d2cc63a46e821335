import CLinux
import Glibc
import Keychain

/// The person's own terminal, wherever standard input and output lead.
struct Terminal: ~Copyable {
  private let descriptor: Int32

  /// Opens the controlling terminal; `nil` if there is none.
  init?() {
    descriptor = clinux_openat(AT_FDCWD, "/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC, 0)
    if descriptor < 0 { return nil }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Asks for a secret, without echo. `nil` if the person ended the input instead.
  ///
  /// The terminal is as before afterwards, also when a signal ends the program meanwhile.
  func askForSecret(_ prompt: String) -> Secret? {
    show(prompt)
    EchoSwitch.turnOff(descriptor)
    defer {
      EchoSwitch.restore()
      show("\n")
    }
    var answer = Secret(capacity: 256)
    var byte: UInt8 = 0
    while true {
      let count = withUnsafeMutableBytes(of: &byte) { StandardStreams.read(descriptor, into: $0) }
      if count <= 0 { return nil }
      if byte == 0x0a { return answer }
      if answer.count < ItemBounds.secret { answer.append(byte) }
      byte = 0
    }
  }

  /// Asks a question that is answered by y or yes, or else isn't.
  func ask(_ question: String) -> Bool {
    show(question)
    var answer: [UInt8] = []
    var byte: UInt8 = 0
    while withUnsafeMutableBytes(of: &byte, { StandardStreams.read(descriptor, into: $0) }) == 1, byte != 0x0a
    {
      if answer.count < 16 { answer.append(byte) }
    }
    return ["y", "yes"].contains(String(decoding: answer, as: UTF8.self).lowercased())
  }

  /// Shows a text that is no secret.
  func show(_ text: String) {
    _ = Secret(text).withUnsafeBytes { StandardStreams.writeFully($0, to: descriptor) }
  }
}

/// Switches a terminal's echo off and on again.
private enum EchoSwitch {
  // One process asks one question at a time; a signal's handler has to find these.
  nonisolated(unsafe) private static var descriptor: Int32 = -1
  nonisolated(unsafe) private static var before = termios()

  private static let endingSignals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  static func turnOff(_ terminal: Int32) {
    guard tcgetattr(terminal, &before) == 0 else { return }
    descriptor = terminal
    for signal in endingSignals {
      Glibc.signal(signal) { number in
        EchoSwitch.restore()
        Glibc.signal(number, SIG_DFL)
        raise(number)
      }
    }
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO)
    silent.c_lflag |= tcflag_t(ICANON | ISIG)
    // Suspending would leave the shell without echo.
    withUnsafeMutableBytes(of: &silent.c_cc) { $0[Int(VSUSP)] = 0 }
    tcsetattr(terminal, TCSAFLUSH, &silent)
  }

  static func restore() {
    guard descriptor >= 0 else { return }
    tcsetattr(descriptor, TCSAFLUSH, &before)
    descriptor = -1
    for signal in endingSignals { Glibc.signal(signal, SIG_DFL) }
  }
}
