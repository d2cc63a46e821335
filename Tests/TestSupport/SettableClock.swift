public import Keychain
import Synchronization

/// A clock that shows the time it was set to.
public final class SettableClock: Sendable {
  private let milliseconds: Mutex<Int64>

  /// The initial time of every clock: 2026-11-21T08:30:00.125Z.
  public static let start = Timestamp(milliseconds: 1_795_249_800_125)

  /// A clock that shows this time.
  public init(_ time: Timestamp = start) {
    milliseconds = Mutex(time.milliseconds)
  }

  /// The time that it shows.
  public var now: Timestamp {
    get { Timestamp(milliseconds: milliseconds.withLock { $0 }) }
    set { milliseconds.withLock { $0 = newValue.milliseconds } }
  }

  /// The clock as a function, for a keychain to read.
  public var read: @Sendable () -> Timestamp {
    { [self] in now }
  }

  /// Advances the clock.
  public func advance(seconds: Int64) {
    now = Timestamp(milliseconds: now.milliseconds + seconds * 1000)
  }
}
