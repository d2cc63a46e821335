import Bytes
import SignIn
import Terminals

/// Opens a page in the browser where you log in to a server, for the program that talks to that server.
enum BrowserLogin {
  /// In milliseconds.
  private static let patience = 600_000

  /// Opens the page, and waits until the browser comes back with the right state. Anything else gets an answer, and
  /// the wait goes on.
  static func outcome(of visit: borrowing BrowserVisit) -> BrowserReturn {
    guard let redirection = Redirection(visit.redirect), redirection.port != nil,
      let listener = LoopbackListener(for: redirection, isForm: false)
    else { return .portInUse }
    let page = visit.page.text
    TerminalPerson.show(
      "To log in to \(visit.server), use the page in your browser. If none opens, open this one:\n\n    \(page)\n\n"
    )
    if !BrowserProgram.open(page) { TerminalPerson.show("No browser was found.\n") }
    let deadline = SystemClock.awake + patience
    while let arrival = listener.next(at: redirection.path, until: deadline) {
      let parameters = Secret(copying: ByteString(arrival.parameters))
      let returned = parameters.withUnsafeBytes { text in
        (try? AuthorizationRequest.check(text, state: visit.state)) ?? .foreign
      }
      switch consume returned {
      case .foreign: arrival.answer(.status(400))
      case .refusal(let refusal):
        arrival.answer(.refused)
        return .refused(refusal.explanation.map { "\(refusal.code): \($0)" } ?? refusal.code)
      case .code(let code):
        arrival.answer(.received)
        return .code(code)
      }
    }
    return .tooLate
  }
}
