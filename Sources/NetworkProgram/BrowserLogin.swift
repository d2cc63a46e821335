import Bytes
import SignIn
import ToolCommands

/// Opens a page in the browser where you log in to a server, for the program that talks to that server.
enum BrowserLogin {
  /// Opens the page, and waits until the browser comes back with the right state.
  static func outcome(of visit: borrowing BrowserVisit) -> BrowserReturn {
    guard let redirection = Redirection(visit.redirect), redirection.port != nil,
      let listener = LoopbackListener(for: redirection, isForm: false)
    else { return .portInUse }
    do throws(SignInFault) {
      let code = try listener.code(
        from: visit.page.text, to: "log in to \(visit.server)", backAt: redirection.path, then: .received,
        check: { (try? AuthorizationRequest.check($0, state: visit.state)) ?? .foreign }, use: { $0.copy() })
      return .code(code)
    } catch .refused(let refusal) {
      return .refused(refusal.explanation.map { "\(refusal.code): \($0)" } ?? refusal.code)
    } catch {
      return .tooLate
    }
  }
}

extension LoopbackListener {
  /// How long a person may take, in milliseconds.
  private static let patienceWithPerson = 600_000

  /// Opens a page, and waits until the browser comes back with a code. Anything else gets an answer, and the wait goes
  /// on.
  ///
  /// - Parameters:
  ///   - wish: why, in the infinitive.
  ///   - path: where the browser comes back.
  ///   - answer: the last page if all goes well.
  ///   - check: checks the parameters of the return.
  ///   - use: uses the code.
  func code<Result: ~Copyable>(
    from page: String, to wish: String, backAt path: String, then answer: AnswerPage,
    check: (UnsafeRawBufferPointer) throws(SignInFault) -> AuthorizationRequest.Return,
    use: (borrowing Secret) throws(SignInFault) -> Result
  ) throws(SignInFault) -> Result {
    TerminalPerson.show(
      "To \(wish), use the page in your browser. If none opens, open this one:\n\n    \(page)\n\n")
    if !BrowserProgram.open(page) { TerminalPerson.show("No browser was found.\n") }
    let deadline = SystemClock.awake + Self.patienceWithPerson
    while let arrival = next(at: path, until: deadline) {
      var last = AnswerPage.failed
      do throws(SignInFault) {
        let parameters = Secret(copying: ByteString(arrival.parameters))
        let returned = try parameters.withUnsafeBytes(check)
        switch consume returned {
        case .foreign: arrival.answer(.status(400))
        case .refusal(let refusal):
          last = .refused
          throw .refused(refusal)
        case .code(let code):
          let result = try use(code)
          arrival.answer(answer)
          return result
        }
      } catch {
        arrival.answer(last)
        throw error
      }
    }
    throw .tooLate
  }
}
