import Bytes
import Keychain
import ToolCommands

/// A tool's own command that writes a setting into its configuration. It contains no secret.
struct OwnCommand: Sendable {
  /// The programs that have it; the first one found is run.
  let programs: [String]
  /// The file that it changes, below a folder that replaces the tool's own.
  let file: String
  /// The variables that make it look there, given the folder. Those without a value are removed.
  let variables: @Sendable (_ folder: String) -> [(name: String, value: String?)]
  let arguments: @Sendable (_ folder: String, _ text: [UInt8]) -> [String]

  /// In milliseconds.
  private static let timeout = 30_000

  /// Runs it for the file below a folder. A signal that ``HeldSignals`` holds back ends it. Returns whether it succeeded;
  /// without the programs, it doesn't.
  func run(in folder: String, for text: [UInt8]) -> Bool {
    guard let program = programs.lazy.compactMap(ProgramLinks.found).first else { return false }
    let variables = variables(folder)
    let outcome = try? ProgramOutput.read(
      ([program] + arguments(folder, text)).map { CString(copying: $0) }, withholding: variables.map(\.name),
      setting: variables.compactMap { variable in
        variable.value.map { CString(copying: "\(variable.name)=\($0)") }
      }, timeout: Self.timeout, limit: 1 << 16, showsErrors: false, grace: 0)
    if case .printed? = outcome { return true }
    return false
  }
}
