/// Why signing in or renewing a token failed.
package enum SignInFault: Error, Equatable {
  case transport(TransportFault)
  case reply(ReplyFault)
  case refused(TokenRefusal)
  /// The server isn't known to have the flow.
  case noFlow
  /// The flow needs a terminal, and there is none.
  case noTerminal
  /// The browser came back with another server's reply.
  case wrongIssuer
  /// Nobody decided in time.
  case tooLate
  case cancelled

  /// For how many seconds the server wants to be left alone.
  package var pause: Int {
    guard case .refused(let refusal) = self, case .temporary(let seconds) = refusal.kind else { return 0 }
    return seconds ?? 0
  }
}
