import Glibc
package import Keychain
import Processes

/// The program whose output opens a slot.
package enum CommandSlotProgram {
  /// The variable set for programs that are run here. A llavero that they call doesn't run any itself.
  static let marker = "LLAVERO_COMMAND_SLOT"
  /// The time limit, in milliseconds.
  static let timeout = 60_000

  /// Runs a program without a shell, and returns its output without a final line feed; `nil` if it fails in any way.
  ///
  /// - Parameter words: the name or path of the program, and its arguments.
  @Sendable package static func passphrase(of words: [String]) -> Secret? {
    // A child process must not be asked for the passphrase that it is run for.
    if getenv(marker) != nil { return nil }
    setenv(marker, "1", 1)
    defer { unsetenv(marker) }
    guard
      let outcome = try? ProgramOutput.read(
        words.map { CString(copying: $0) }, timeout: timeout, limit: PassphraseSources.longest)
    else { return nil }
    switch consume outcome {
    case .printed(let printed):
      let passphrase = printed.withoutLastLineFeed()
      if passphrase.isEmpty { return nil }
      return passphrase
    case .failed: return nil
    }
  }
}
