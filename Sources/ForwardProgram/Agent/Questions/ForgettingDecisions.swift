import Bytes
import Forwarding

extension ForwardingAgent {
  /// Forgets the permissions for sessions and connections.
  func forgetDecisions() {
    leases.removeAll()
    for client in clients { client.decisions.removeAll() }
    stopWatchingScreen()
  }

  func removeEndedLeases() {
    if leases.all.isEmpty { return }
    leases.removeEnded(now: SystemClock.sinceBoot)
    if leases.all.isEmpty { stopWatchingScreen() }
  }

  func watchScreen() {
    guard screenWatch == nil, let program = settings.watchingProgram else { return }
    screenWatch = PipedProgram(program, as: settings.watchingName)
  }

  /// A person who locks the screen has left.
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
