public import Keychain
import Synchronization

/// A clock that shows what it was set to.
public final class SettableClock: Sendable {
  private let milliseconds: Mutex<Int64>

  /// Where every clock stands at first: 2026-11-21T08:30:00.125Z.
  public static let start = Timestamp(milliseconds: 1_795_249_800_125)

  /// A clock that shows ``start``.
  public init() {
    milliseconds = Mutex(Self.start.milliseconds)
  }

  /// What it shows.
  public var now: Timestamp {
    get { Timestamp(milliseconds: milliseconds.withLock { $0 }) }
    set { milliseconds.withLock { $0 = newValue.milliseconds } }
  }

  /// The same as a function, for a keychain to read.
  public var read: @Sendable () -> Timestamp {
    { [self] in now }
  }

  /// Puts it forward.
  public func advance(seconds: Int64) {
    now = Timestamp(milliseconds: now.milliseconds + seconds * 1000)
  }
}
