import Bytes
import CredentialProtocols
import EncryptedFile
import Keychain
import KeychainChoice

/// Logins that git has deleted without naming them.
///
/// If a proxy demands a login and its address names no user, git has every login of the proxy deleted: it asks its
/// helpers only for a named user, but rejects the login whenever the proxy answers 407 (git's http.c, `proxy_auth`).
/// It never does that for servers.
struct ErasedProxyLogins {
  private let place: InternetPassword
  private let count: Int

  /// - Parameters:
  ///   - place: the proxy.
  ///   - count: the number of deleted logins.
  init(at place: InternetPassword, _ count: Int) {
    self.place = place
    self.count = count
  }

  private static func say(_ hint: Hint) { StandardStreams.say("hint: \(hint)") }

  /// Reports them, with how to get them back, if the keychain keeps them.
  ///
  /// - Parameter name: the keychain named on the command line.
  func say(for open: OpenKeychain, _ name: String?) {
    guard let url = place.url() else { return }
    let logins = count == 1 ? "the login" : "the \(count) logins"
    StandardStreams.say(
      "git had \(logins) of \(url) deleted: that proxy demands one, and its address in http.proxy names no user"
    )
    let keychain = name.map { ["--keychain", $0] } ?? []
    let former = try? open.file?.justDeleted(of: ItemQuery(for: .internetPassword(place)))
    var named = place
    named.account = former?.account ?? "USER"
    let address = named.url(withAccount: true) ?? url
    guard former != nil else {
      return Self.say(
        "store it with \(commandOf: ["llavero", "add", address] + keychain), and let http.proxy be \(prose: address)"
      )
    }
    if count > 1 {
      return Self.say(
        """
        \(commandOf: ["llavero", "undelete", url, "--list"] + keychain) shows them; name the user in http.proxy, as \
        http://USER@PROXY:PORT
        """)
    }
    Self.say(
      """
      get it back with \(commandOf: ["llavero", "undelete", url] + keychain), and let http.proxy be \(prose: address)
      """)
  }
}

extension EncryptedFileKeychain {
  /// For how long a login counts as just deleted, in seconds.
  private static let memory: Int64 = 3600

  /// The key of the matching item that was deleted last; `nil` if that is too long ago.
  fileprivate func justDeleted(of query: ItemQuery) throws(KeychainError) -> InternetPassword? {
    let now = Timestamp.now.seconds
    let last = try retiredItems(matching: query).first { $0.reason == .deleted }
    guard let last, now - last.retired.seconds < Self.memory, case .internetPassword(let key) = last.item.key
    else { return nil }
    return key
  }
}
