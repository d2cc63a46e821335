import Glibc
package import Keychain
import Processes

/// The program whose output opens a slot.
package enum CommandSlotProgram {
  /// Set for the programs that are run, so that one that comes back here runs no further ones.
  static let marker = "LLAVERO_COMMAND_SLOT"
  /// How many milliseconds it may take.
  static let timeout = 60_000

  /// Runs a program, and takes what it prints without one last line feed; `nil` if it fails in any way. No shell is
  /// involved.
  ///
  /// - Parameter words: its name or path, and its arguments.
  @Sendable package static func passphrase(of words: [String]) -> Secret? {
    // Its own child must not be asked for the very passphrase that is being had.
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
