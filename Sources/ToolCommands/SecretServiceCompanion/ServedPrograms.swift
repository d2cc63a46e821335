package import Keychain

/// The programs that call llavero's own Secret Service.
package struct ServedPrograms {
  /// The process that serves.
  package let process: Int?
  /// In the order of their first calls.
  package let callers: [ServedProgram]

  package init(process: Int?, callers: [ServedProgram]) {
    self.process = process
    self.callers = callers
  }
}

/// A program that calls it.
package struct ServedProgram {
  /// The file that it ran, if that is known.
  package let program: String?
  package let process: Int?
  package let isConnected: Bool
  /// The time of its first call.
  package let since: Timestamp
  package let calls: Int

  package init(program: String?, process: Int?, isConnected: Bool, since: Timestamp, calls: Int) {
    (self.program, self.process, self.isConnected) = (program, process, isConnected)
    (self.since, self.calls) = (since, calls)
  }
}
