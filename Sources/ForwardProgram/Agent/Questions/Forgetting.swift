import Bytes
import Forwarding

extension ForwardingAgent {
  /// Forgets what was allowed for sessions, and once.
  func forgetDecisions() {
    leases.removeAll()
    for client in clients { client.decisions.removeAll() }
    stopWatchingScreen()
  }

  /// Forgets what was allowed for sessions that have ended.
  func removeEndedLeases() {
    if leases.all.isEmpty { return }
    leases.removeEnded(now: SystemClock.sinceBoot)
    if leases.all.isEmpty { stopWatchingScreen() }
  }

  /// Starts the program that says when the screen is locked.
  func watchScreen() {
    guard screenWatch == nil, let program = settings.watchingProgram else { return }
    screenWatch = PipedProgram(program, as: settings.watchingName)
  }

  /// A person who locks the screen isn't there any more.
  func takeScreenLock(_ program: PipedProgram) {
    let hasEnded = program.read()
    if program.takeResult().count > 0 { forgetDecisions() }
    if hasEnded { stopWatchingScreen() }
  }

  private func stopWatchingScreen() {
    guard let program = screenWatch else { return }
    screenWatch = nil
    program.dismiss()
    ending.append(program)
  }
}
