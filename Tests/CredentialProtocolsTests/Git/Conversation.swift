import CredentialProtocols
import Keychain
import TestSupport

/// A conversation in git's protocol with a keychain, at a time that the test sets.
final class Conversation {
  let fresh: FreshKeychain
  let keychain: any KeychainStore
  var timeout: Int64?
  /// Whether git itself asks, and not a program by `git credential`.
  var isGit = true
  /// The name under which one token answers for every name.
  var nameForAll: ByteString?
  /// The second in which it began.
  let start: Int64
  /// The last state that was answered.
  var lastState = ""
  /// How many items were erased without being named, each time.
  private(set) var unnamed: [Int] = []
  /// The items that were refused, the last one at the end.
  private(set) var refused: [InternetPassword] = []

  init(_ kind: KeychainUnderTest = KeychainUnderTest.all[0]) {
    fresh = kind.make()
    keychain = fresh.keychain
    start = fresh.clock.now.seconds
  }

  func perform(
    _ operation: GitCredentialProtocol.Operation, _ text: [UInt8]
  ) throws(KeychainError) -> String {
    var spoken = GitCredentialProtocol(timeout: timeout)
    spoken.isAskedByGit = { [isGit] in isGit }
    spoken.accountForAll = { [nameForAll] _ in nameForAll }
    spoken.onUnnamedErasure = { [unowned self] _, count in unnamed.append(count) }
    spoken.onRefusal = { [unowned self] in refused.append($0) }
    spoken.refusedBefore = { [unowned self] asked in
      let before = refused.last { $0.account == asked.account && $0.server == asked.server }
      return before.flatMap { path(of: $0, above: asked) }
    }
    let reply = try spoken.perform(
      operation, try makeRequest(text), on: keychain, at: fresh.clock.now)
    fresh.clock.advance(seconds: 1)
    return String(decoding: reply.revealed, as: UTF8.self)
  }

  private func path(of refused: InternetPassword, above asked: InternetPassword) -> ByteString? {
    guard let path = refused.path, let below = asked.path else { return nil }
    return path.lengthOfAnswer(to: below) == nil ? nil : path
  }

  /// The answer to these lines.
  func get(_ lines: String...) throws(KeychainError) -> String { try perform(.get, joined(lines)) }

  /// Stores a login; a helper prints nothing.
  func store(_ lines: String...) throws(KeychainError) {
    let reply = try perform(.store, joined(lines))
    precondition(reply.isEmpty, "store answered")
  }

  /// The number of items.
  func count() throws -> Int { try fresh.reopened.items(matching: .all).count }
}
