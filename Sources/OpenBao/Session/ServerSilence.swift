import Bytes
import Keychain

/// What is known of how a server keeps silent: one that accepts connections and never answers, or that no packet comes
/// back from. Nobody waits for such a one twice within a short time.
struct ServerSilence {
  /// For how many seconds a server that hasn't answered isn't asked again.
  static let duration: Int64 = 30
  /// From how many milliseconds on a failure is remembered: what fails at once can be tried again at once.
  static let noticeable = 2500
  /// For how many milliseconds a server that has answered counts as one that does.
  private static let attention = 10_000

  /// Whether the server is asked although others have met its silence.
  private let isInsistent: Bool
  /// Whether this very session has met it.
  private var isMet = false
  private var lastAnswer: Int?

  init(isInsistent: Bool) { self.isInsistent = isInsistent }

  /// Whether the server has answered a moment ago.
  var isBroken: Bool { lastAnswer.map { SystemClock.awake - $0 < Self.attention } ?? false }

  /// How long an answer is waited for, in milliseconds; `nil` for as long as the set-up says.
  ///
  /// - Parameters:
  ///   - isShort: whether the answer takes a server no time to speak of.
  ///   - nodes: how many nodes there are to ask.
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
