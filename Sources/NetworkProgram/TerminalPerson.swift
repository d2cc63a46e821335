import Bytes
import Glibc
import SignIn
import ToolCommands

final class TerminalPerson: SignInPerson {
  private let place: SignInPlace
  private var isCounting = false

  init(at place: SignInPlace) {
    self.place = place
  }

  /// Shows lines on the terminal, or else on standard error.
  static func show(_ text: TextForTerminal) {
    if let terminal = Terminal() {
      terminal.show(text)
    } else {
      // If that fails, there is nobody to tell.
      try? StandardStreams.write(text, to: 2)
    }
  }

  func show(code: String, at address: EndpointURL, complete: EndpointURL?, seconds: Int) {
    var text: TextForTerminal = """
      To sign in to \(place.hostAndPort), open this page on any device:

          \(address.text)

      and type this code there:

          \(code)


      """
    if let complete, complete.hasSameOrigin(as: address) {
      text += "Or open \(complete.text), and compare the code.\n"
    }
    text += "Type it only if you started this yourself.\n"
    Self.show(text)
  }

  func wait(milliseconds: Int, left seconds: Int) throws(SignInFault) {
    let end = SystemClock.awake + milliseconds
    while true {
      let now = SystemClock.awake
      showTime(left: seconds - (milliseconds - max(0, end - now)) / 1000)
      if now >= end { return }
      // A signal ends this program, and it keeps nothing.
      poll(nil, 0, Int32(min(end - now, 1000)))
    }
  }

  /// Shows how long the code is still valid, if there is a terminal that can overwrite its line.
  private func showTime(left seconds: Int) {
    guard let terminal = Terminal(), Variables.value("TERM") != "dumb" else { return }
    let minutes = max(0, seconds) / 60
    let rest = max(0, seconds) % 60
    let time = "\(minutes):" + (rest < 10 ? "0\(rest)" : "\(rest)")
    terminal.show("\rWaiting; the code is valid for \(time) (Ctrl-C to stop)  ")
    isCounting = true
  }

  func finish() {
    if isCounting { Self.show("\r\u{1b}[K") }
    isCounting = false
  }
}
