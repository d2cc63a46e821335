package import Keychain
package import KeychainChoice

extension OpenKeychain {
  private var renewal: TokenRenewal? { renewer as? TokenRenewal }

  /// How many tokens were not renewed so far because something that this needs can't be used.
  package var failedRenewals: Int { renewal?.failures ?? 0 }

  /// Whether a renewal has said why there is no new token, and what to do: nobody repeats that.
  package var hasExplainedRenewal: Bool { renewal?.hasExplained ?? false }

  /// The status of a command that got no token: whether something can't be used, or only nothing matches any more.
  package var statusWithoutToken: ExitStatus { failedRenewals > 0 ? .keychain : .nothingMatched }

  /// Ends the program if a renewal has said why there is no new token.
  package func endIfRenewalExplained() {
    if hasExplainedRenewal { Program.end(statusWithoutToken.rawValue) }
  }
}
