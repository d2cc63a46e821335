import Keychain

/// How much is read from a server for one question.
///
/// A server that has more is not read to its end. That is an error: a shortened list would be taken for all there is.
struct ReadingBounds {
  /// The most folders that lie one below another.
  static let depth = 32
  /// The most folders that are listed.
  static let folders = 10_000
  /// The most items that are listed.
  static let items = 100_000
  /// The largest list of a folder, in bytes.
  static let list = 8 << 20
  /// The largest sum of all answers, in bytes.
  static let bytes = 256 << 20
  /// How long is read where a tool waits, or somebody who has asked for one place, in milliseconds.
  static let placeTime = 30_000
  /// How long is read for a person who wants all there is, and may end that, or where nobody waits, in milliseconds.
  static let wholeTime = 600_000

  private var folders = 0
  private var items = 0
  private var bytes = 0

  /// Counts a folder that is listed.
  ///
  /// - Parameter depth: how many folders it lies below.
  /// - Throws: the fault if there are too many.
  mutating func takeFolder(atDepth depth: Int) throws(Exceeded) {
    folders += 1
    if depth > Self.depth { throw Exceeded(what: "folders below one another", limit: Self.depth) }
    if folders > Self.folders { throw Exceeded(what: "folders", limit: Self.folders) }
  }

  /// Counts items that are listed.
  mutating func takeItems(_ count: Int) throws(Exceeded) {
    items += count
    if items > Self.items { throw Exceeded(what: "items", limit: Self.items) }
  }

  /// Counts an answer.
  mutating func takeAnswer(of count: Int) throws(Exceeded) {
    bytes += count
    if bytes > Self.bytes { throw Exceeded(what: "bytes in its answers", limit: Self.bytes) }
  }

  /// A bound that was met.
  struct Exceeded: Error {
    /// What there is too much of, in the plural.
    let what: String
    /// How many of these are read.
    let limit: Int

    var fault: KeychainError.OpenBaoFault { .tooMuch(what: what, limit: limit) }
  }
}
