import Keychain

/// The limits on reading from a server for one question.
///
/// Exceeding them is an error: a shortened list would be taken for all there is.
struct ReadingBounds {
  /// The deepest nesting of folders.
  static let depth = 32
  static let folders = 10_000
  static let items = 100_000
  /// The largest list of a folder, in bytes.
  static let list = 8 << 20
  /// The largest sum of all answers, in bytes.
  static let bytes = 256 << 20
  /// The time for a tool, or for a query that names one place, in milliseconds.
  static let placeTime = 30_000
  /// The time for a person who wants everything and can end it, or if nobody waits, in milliseconds.
  static let wholeTime = 600_000

  private var folders = 0
  private var items = 0
  private var bytes = 0

  /// Counts a listed folder.
  ///
  /// - Parameter depth: how many folders are above it.
  /// - Throws: the exceeded limit.
  mutating func takeFolder(atDepth depth: Int) throws(Exceeded) {
    folders += 1
    if depth > Self.depth { throw Exceeded(what: "folders below one another", limit: Self.depth) }
    if folders > Self.folders { throw Exceeded(what: "folders", limit: Self.folders) }
  }

  mutating func takeItems(_ count: Int) throws(Exceeded) {
    items += count
    if items > Self.items { throw Exceeded(what: "items", limit: Self.items) }
  }

  mutating func takeAnswer(of count: Int) throws(Exceeded) {
    bytes += count
    if bytes > Self.bytes { throw Exceeded(what: "bytes in its answers", limit: Self.bytes) }
  }

  struct Exceeded: Error {
    /// The things of which there are too many, in the plural.
    let what: String
    let limit: Int

    var fault: OpenBaoFault { .tooMuch(what: what, limit: limit) }
  }
}
