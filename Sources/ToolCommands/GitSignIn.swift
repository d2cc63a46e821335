import Bytes
import CredentialProtocols
import EncryptedFile
import Glibc
import Keychain
import KeychainChoice
import SignIn

/// Signs in because git asks for a missing login.
struct GitSignIn {
  private let signingIn: SigningIn
  private let key: InternetPassword
  private let url: String
  private let headers: [String]

  /// `nil` if there is nothing to sign in to, or nothing to do it with.
  init?(_ request: borrowing GitRequest, stateFolder: String) {
    guard let key = request.key else { return nil }
    self.key = key
    guard let url = key.url(), SignInPlace(url) != nil, let signingIn = SigningIn(stateFolder: stateFolder)
    else {
      return nil
    }
    self.url = url
    self.signingIn = signingIn
    headers = request.challenges.map { "\($0)" }
  }

  /// Signs in if a person can be asked, and the way is known. Returns whether there is a login now.
  ///
  /// - Parameters:
  ///   - open: the keychain.
  ///   - mayAsk: whether a person may be asked at all.
  ///   - mayUseTerminal: whether they may be asked on the terminal.
  ///   - isThere: returns whether somebody else has signed in meanwhile.
  func run(
    in open: OpenKeychain, mayAsk: Bool, mayUseTerminal: Bool,
    unless isThere: () throws(KeychainError) -> Bool
  ) throws(KeychainError) -> Bool {
    let keychain = open.keychain
    let isAsked = mayAsk && (mayUseTerminal && Terminal() != nil || Program.hasDisplay)
    if !isAsked {
      // The renewal has already said why it stopped, and what to do.
      if open.hasExplainedRenewal { return false }
      if try signingIn.description(for: key, headers: headers, keychain) != nil {
        StandardStreams.say("nobody can be asked here to sign in to \(url)")
        StandardStreams.say("hint: \(command: "llavero", "login", url)")
      }
      return false
    }
    var wish = SigningIn.Wish()
    wish.headers = headers
    wish.onlyIfConfigured = true
    wish.mayUseTerminal = mayUseTerminal
    // Git itself, even if another program started this one for it.
    wish.reader = 1
    let outcome = try signingIn.perform(wish, for: key, in: keychain, unless: isThere)
    switch outcome {
    case .stored, .isThere: return true
    case .unknownPlace: return false
    case .failed(let message, let hint):
      StandardStreams.say("\(message)")
      if let hint { StandardStreams.say("hint: \(hint)") }
      return false
    }
  }
}
