import Interchange
import Keychain
import ToolCommands

extension KeychainError {
  /// - Parameter looks: the format that the file looks like.
  init(
    _ fault: FormatFault, in name: String, of format: FileFormat, at path: String,
    looksLike looks: FileFormat?
  ) {
    let other = looks?.name == format.name ? nil : looks
    let line = fault.line.map { "line \($0): " } ?? ""
    let looks = other.map { "; it looks like a file of \($0.name)" } ?? ""
    self.init(
      "\(name) is not a file of \(format.name): \(line)\(fault.reason)\(looks)",
      hint: fault.conversion(of: path)
        ?? other.map { "\(command: "llavero", "import", $0.name, path) imports it" },
      status: .usage)
  }
}
