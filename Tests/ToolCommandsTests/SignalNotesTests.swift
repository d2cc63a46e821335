import Glibc
import TestSupport
import Testing
import ToolCommands

@Suite("Signals that are caught", .aheadOfOthers) struct SignalNotesTests {
  @Test("one that nobody has looked at ends the process afterwards")
  func lookedAtByNobody() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      letSignalsThrough()
      let notes = SignalNotes(SignalNotes.ending + [SIGCHLD])
      raise(SIGTERM)
      _ = consume notes
    }
  }

  @Test("so does one that came before another was passed on, and after that")
  func others() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      letSignalsThrough()
      signal(SIGUSR1) { _ in }
      let notes = SignalNotes(SignalNotes.ending + [SIGUSR1])
      raise(SIGTERM)
      notes.pass(on: SIGUSR1)
    }
  }

  @Test("one that was looked at, and that of a child, do nothing")
  func lookedAt() async {
    await #expect(processExitsWith: .exitCode(7)) {
      letSignalsThrough()
      signal(SIGCHLD) { _ in _exit(2) }
      let notes = SignalNotes(SignalNotes.ending + [SIGCHLD])
      raise(SIGTERM)
      guard notes.next() == SIGTERM else { exit(1) }
      raise(SIGCHLD)
      _ = consume notes
      exit(7)
    }
  }
}

/// Lets this thread be signalled, which the threads that tests run on are not, and with the usual effects.
private func letSignalsThrough() {
  var all = sigset_t()
  sigfillset(&all)
  pthread_sigmask(SIG_UNBLOCK, &all, nil)
  for number in SignalNotes.ending { signal(number, SIG_DFL) }
}
