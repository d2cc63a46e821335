import CLinux
import Glibc
import Synchronization

/// Runs jobs one after the other on a thread of its own, which exists only while there are jobs.
package final class OwnThread: Sendable {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
    var isRunning = false

    /// The next job; `nil` if there is none, and then the thread ends.
    mutating func nextJob() -> (@Sendable () -> Void)? {
      if jobs.isEmpty {
        isRunning = false
        return nil
      }
      return jobs.removeFirst()
    }
  }

  private let state = Mutex(State())

  package init() {}

  package func run(_ job: @escaping @Sendable () -> Void) {
    let starts = state.withLock { state in
      state.jobs.append(job)
      if state.isRunning { return false }
      state.isRunning = true
      return true
    }
    if !starts { return }
    // If no thread can be started, the work is done here.
    if !startThread("keychain", { self.work() }) { work() }
  }

  private func work() {
    while let job = state.withLock({ $0.nextJob() }) { job() }
  }
}

/// Runs `body` on a new thread that receives no signals. A signal delivered to a thread that hasn't blocked it has its
/// default effect, even if the program's own thread is waiting for it.
///
/// - Parameter name: the thread's name in debuggers, at most 15 bytes.
/// - Returns: whether the thread could be started.
package func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
  final class Job {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }
  var all = sigset_t()
  var before = sigset_t()
  sigfillset(&all)
  pthread_sigmask(SIG_SETMASK, &all, &before)
  defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
  let job = Unmanaged.passRetained(
    Job {
      clinux_name_thread(name)
      body()
    })
  var thread = pthread_t()
  let failure = pthread_create(
    &thread, nil,
    { argument in
      if let argument { Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().run() }
      return nil
    }, job.toOpaque())
  if failure != 0 {
    job.release()
    return false
  }
  pthread_detach(thread)
  return true
}
