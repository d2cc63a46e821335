import Bytes
import Keychain

/// Remembers that a server is silent: it accepts connections without answering, or no packet comes back. Nobody waits
/// for it twice within a short time.
struct ServerSilence {
  /// How many seconds a silent server isn't asked again.
  static let duration: Int64 = 30
  /// From how many milliseconds a failure is remembered: an immediate one can be retried at once.
  static let noticeable = 2500
  /// For how many milliseconds an answer shows that the server isn't silent.
  private static let attention = 10_000

  /// Whether to ask the server although it was silent to other sessions.
  private let isInsistent: Bool
  /// Whether it was silent to this session.
  private var isMet = false
  private var lastAnswer: Int?

  init(isInsistent: Bool) { self.isInsistent = isInsistent }

  /// Whether the server answered a moment ago.
  var isBroken: Bool { lastAnswer.map { SystemClock.awake - $0 < Self.attention } ?? false }

  /// How long to wait for an answer, in milliseconds; `nil` for as long as the set-up allows.
  ///
  /// - Parameters:
  ///   - isShort: whether the answer takes a server hardly any time.
  ///   - nodes: the number of nodes.
  func patience(isShort: Bool, nodes: Int) -> Int? {
    if isBroken || !isShort { return nil }
    return nodes > 1 ? 3000 : 5000
  }

  mutating func noteAnswer() { lastAnswer = SystemClock.awake }

  mutating func noteSilence() {
    isMet = true
    lastAnswer = nil
  }

  /// For how many seconds the server has been silent, if it isn't to be asked yet; `nil` if it is.
  func seconds(since: Timestamp?, at now: Timestamp) -> Int? {
    guard let since, 0..<Self.duration ~= now.seconds - since.seconds, isMet || !isInsistent else {
      return nil
    }
    return Int(now.seconds - since.seconds)
  }
}
