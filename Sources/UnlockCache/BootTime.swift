import Glibc

/// Time since the machine started, the time that it slept included: unlike the date it can't be set back.
enum BootTime {
  /// In milliseconds.
  static var milliseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }

  /// In whole seconds.
  static var seconds: Int { milliseconds / 1000 }
}
