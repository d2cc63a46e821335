import CLinux
import Glibc

/// Holds back the signals that would end this program while it exists, so that nothing is left half done. They take
/// effect afterwards.
package struct HeldSignals: ~Copyable {
  private var before = sigset_t()

  package init() {
    var held = Self.all
    pthread_sigmask(SIG_BLOCK, &held, &before)
  }

  deinit {
    var before = before
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// Waits for one of them, which has no effect by itself then; `nil` if none comes.
  package borrowing func next(within milliseconds: Int) -> Int32? {
    var signals = Self.all
    var time = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
    let number = sigtimedwait(&signals, nil, &time)
    return number > 0 ? number : nil
  }

  private static var all: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in SignalNotes.ending { sigaddset(&signals, number) }
    return signals
  }

  static var isAnyPending: Bool {
    var pending = sigset_t()
    sigpending(&pending)
    return SignalNotes.ending.contains { sigismember(&pending, $0) == 1 }
  }
}
