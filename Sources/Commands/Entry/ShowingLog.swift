import Bytes
import Glibc
import PrivateFiles
import Terminals

extension LineLog {
  /// Prints the log.
  ///
  /// - Parameters:
  ///   - goesOn: whether to wait for what comes, until the process is ended.
  ///   - isJSON: whether the lines are printed as they are.
  ///   - text: a line for people; `nil` if it can't be understood, and is left out.
  /// - Throws: ``Failure`` if it can't be printed.
  func show(
    goesOn: Bool, isJSON: Bool, _ text: (UnsafeRawBufferPointer) -> TextForTerminal?
  ) throws(Failure) {
    var position = Position()
    repeat {
      try read(from: &position) { (line) throws(Failure) in
        if isJSON {
          try StandardStreams.write(Secret(copying: line))
          try StandardStreams.write(raw: "\n")
        } else if let text = text(line) {
          try StandardStreams.write(text)
        }
      }
      if goesOn { usleep(200_000) }
    } while goesOn
  }
}
