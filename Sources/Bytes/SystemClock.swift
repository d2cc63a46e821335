import Glibc

/// The system's clocks, in milliseconds (clock_gettime(2)).
package enum SystemClock {
  /// The date: milliseconds since 1970-01-01T00:00:00Z, as the clock was set.
  package static var date: Int { reading(of: CLOCK_REALTIME) }

  /// Time while the machine is awake, which passes evenly, to measure waiting.
  package static var awake: Int { reading(of: CLOCK_MONOTONIC) }

  /// Time since the machine was booted, including sleep. Unlike the date, it can't be set back.
  package static var sinceBoot: Int { reading(of: CLOCK_BOOTTIME) }

  private static func reading(of clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}
