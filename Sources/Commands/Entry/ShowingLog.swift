import Bytes
import Glibc
import Keychain
import PrivateFiles
import ToolCommands

extension LineLog {
  /// Prints the log.
  ///
  /// - Parameters:
  ///   - goesOn: whether to wait for further lines, until the process is ended.
  ///   - isJSON: whether to print the lines as they are.
  ///   - text: a line for people; `nil` leaves an invalid line out.
  /// - Throws: ``KeychainError`` if it can't be printed.
  func show(
    goesOn: Bool, isJSON: Bool, _ text: (UnsafeRawBufferPointer) -> TextForTerminal?
  ) throws(KeychainError) {
    var position = Position()
    repeat {
      try read(from: &position) { (line) throws(KeychainError) in
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
