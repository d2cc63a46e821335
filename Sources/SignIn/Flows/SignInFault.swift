/// Why somebody couldn't be signed in, or a token not be renewed.
package enum SignInFault: Error, Equatable {
  /// There was no reply.
  case transport(TransportFault)
  /// The reply can't be used.
  case reply(ReplyFault)
  /// The server refuses.
  case refused(TokenRefusal)
  /// The server doesn't have the flow, as far as it is known.
  case noFlow
  /// The flow needs a terminal, and there is none.
  case noTerminal
  /// The browser came back with a reply of another server.
  case wrongIssuer
  /// Nobody decided in time.
  case tooLate
  /// The person has stopped it.
  case cancelled

  /// For how many seconds the server doesn't want to be asked again.
  package var pause: Int {
    guard case .refused(let refusal) = self, case .temporary(let seconds) = refusal.kind else { return 0 }
    return seconds ?? 0
  }
}
