import Bytes
import CredentialProtocols
import Glibc
package import Keychain
package import SignIn

/// The network program, as programs with a keychain use it: work goes in and an outcome comes out, through
/// descriptors.
package struct NetworkCompanion {
  private let program: Companion
  package var path: String { program.path }

  /// `nil` if it isn't installed or can't be started, or `LLAVERO_NETWORK` is `never`.
  package init?() {
    guard !Self.isSwitchedOff, let program = try? Companion(Executables.network) else { return nil }
    self.program = program
  }

  /// The obstacle to using it, as far as files tell.
  package static var obstacle: Companion.Obstacle? {
    isSwitchedOff ? switchedOff : Companion.obstacle(of: Executables.network)
  }

  private static var switchedOff: Companion.Obstacle {
    Companion.Obstacle(
      reason: "LLAVERO_NETWORK is never",
      remedy: "unset LLAVERO_NETWORK, which keeps llavero from the network")
  }

  package static var isSwitchedOff: Bool { CString(variable: "LLAVERO_NETWORK")?.text == "never" }

  package var starts: Bool { program.starts() }

  /// The longest time for work that asks nobody, in milliseconds: more than its own deadlines together.
  package static var patience: Int {
    // At most three exchanges follow one another.
    let exchange = CString(variable: "LLAVERO_NETWORK_TIMEOUT").flatMap { Int($0.text) } ?? 0
    return max(60, min(exchange, 600) * 3) * 1000
  }
  /// The longest time for a person to sign in, in milliseconds: longer than any code is valid.
  package static let patienceWithPerson = 3_600_000

  /// Has work done. If a proxy demands a login, it gets the one in the keychain, as with git's own requests.
  ///
  /// - Parameters:
  ///   - keychain: has the proxies' logins.
  ///   - timeout: the longest time, in milliseconds.
  ///   - grace: for how many milliseconds it goes on once a signal is held back; `nil` if signals end it.
  ///   - reader: the descriptor whose reader wants the outcome; see `ProgramOutput`.
  /// - Throws: ``KeychainError`` if it can't be run, and ``KeychainError/promptDismissed`` if a signal ended it, or
  ///   nobody wants it any more.
  package func perform(
    _ work: consuming SignInWork, in keychain: any KeychainStore, within timeout: Int, grace: Int? = nil,
    for reader: Int32? = nil
  ) throws(KeychainError) -> SignInOutcome {
    var work = work
    switch try attempt(&work, within: timeout, grace: grace, for: reader) {
    case .proxyLogin(let url, let message, let hint):
      work.proxyLogin = try Self.login(ofProxy: url, in: keychain)
      guard work.hasProxyLogin else { return .failed(message: message, hint: hint, pause: 0) }
    case let outcome: return outcome
    }
    switch try attempt(&work, within: timeout, grace: grace, for: reader) {
    // There is another proxy on the way.
    case .proxyLogin(_, let message, let hint): return .failed(message: message, hint: hint, pause: 0)
    case let outcome: return outcome
    }
  }

  /// The login that git would get for a proxy.
  private static func login(
    ofProxy url: String, in keychain: any KeychainStore
  ) throws(KeychainError) -> ProxyLogin? {
    guard let (place, account) = try? Place.parse(ByteString(url)) else { return nil }
    let query = ItemQuery.internetPassword(
      try InternetPasswordQuery(
        protocol: place.protocol, server: place.server, port: place.port, account: account))
    guard
      let answer = try keychain.heldAnswer(to: query, at: .now, where: { $1.authenticationScheme == nil }),
      let user = answer.item.key.account ?? account
    else { return nil }
    return ProxyLogin(url, account: user, password: answer.credential.secret.copy())
  }

  private func attempt(
    _ work: inout SignInWork, within timeout: Int, grace: Int?, for reader: Int32?
  ) throws(KeychainError) -> SignInOutcome {
    let outcome = try ProgramOutput.converse(
      [CString(copying: path)], sending: work.encode(), timeout: timeout, limit: SignInOutcome.maximumSize,
      grace: grace, for: reader)
    switch consume outcome {
    case .printed(let text):
      do throws(JSONReader.Malformed) {
        return try text.withUnsafeBytes { (text) throws(JSONReader.Malformed) in
          try SignInOutcome(parsing: text)
        }
      } catch {
        return .failed(
          message: "\(Executables.network) gave no answer that can be understood", hint: Self.remedy, pause: 0
        )
      }
    // The loader says which library is missing, on standard error.
    case .failed(.ended(.exited(127))):
      return .failed(message: "\(Executables.network) can't be started", hint: Self.remedy, pause: 0)
    case .failed(.ended(let ending)):
      return .failed(message: "\(Executables.network) \(ending.text)", hint: nil, pause: 0)
    case .failed:
      return .failed(message: "\(Executables.network) took too long", hint: "try again later", pause: 0)
    }
  }

  package static var remedy: String {
    isSwitchedOff ? switchedOff.remedy : Companion.remedy(for: Executables.network)
  }
}
