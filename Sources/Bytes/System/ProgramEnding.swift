package enum ProgramEnding: Equatable {
  case exited(Int32)
  case killed(signal: Int32)

  /// Decodes a status of waitpid(2): the signal is in the lowest seven bits, the exit status in bits 8 to 15.
  package init(waitStatus status: Int32) {
    let signal = status & 0x7f
    self = signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal: signal)
  }

  /// Text to follow "it".
  package var text: String {
    switch self {
    case .exited(let status): "ended with status \(status)"
    case .killed(let signal): "was ended by signal \(signal)"
    }
  }
}
