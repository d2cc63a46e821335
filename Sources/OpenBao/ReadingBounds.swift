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

  /// Counts a listed folder. Returns the fault if there are too many.
  ///
  /// - Parameter depth: how many folders are above it.
  mutating func takeFolder(atDepth depth: Int) -> OpenBaoFault.Reason? {
    folders += 1
    if depth > Self.depth { return .tooMuch(what: "folders below one another", limit: Self.depth) }
    return folders > Self.folders ? .tooMuch(what: "folders", limit: Self.folders) : nil
  }

  mutating func takeItems(_ count: Int) -> OpenBaoFault.Reason? {
    items += count
    return items > Self.items ? .tooMuch(what: "items", limit: Self.items) : nil
  }

  mutating func takeAnswer(of count: Int) -> OpenBaoFault.Reason? {
    bytes += count
    return bytes > Self.bytes ? .tooMuch(what: "bytes in its answers", limit: Self.bytes) : nil
  }
}
