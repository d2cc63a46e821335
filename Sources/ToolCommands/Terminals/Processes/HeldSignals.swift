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
