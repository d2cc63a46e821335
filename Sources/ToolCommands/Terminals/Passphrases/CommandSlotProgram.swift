import Bytes
import Glibc
package import Keychain

/// The program whose output opens a slot.
package enum CommandSlotProgram {
  /// The variable, set for programs run here, with the path of the vault being opened. A llavero that they call runs
  /// no such program itself, and doesn't open that vault: otherwise the program would pass for a way in.
  static let marker = "LLAVERO_COMMAND_SLOT"
  /// In milliseconds.
  static let timeout = 60_000

  /// Runs a program without a shell. Returns its output without a final line feed, or `nil` if it fails in any way.
  ///
  /// - Parameter vault: the path of the vault to open.
  package static func passphrase(of words: [String], opening vault: String) -> Secret? {
    // A child process must not be asked for the passphrase that it is run for.
    if getenv(marker) != nil { return nil }
    setenv(marker, vault, 1)
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

  /// Whether this process was started by a program that is to open this vault.
  package static func isOpening(_ vault: String) -> Bool {
    guard let path = getenv(marker) else { return false }
    var (asked, own) = (stat(), stat())
    if stat(path, &asked) == 0, stat(vault, &own) == 0 {
      return asked.st_dev == own.st_dev && asked.st_ino == own.st_ino
    }
    return String(cString: path) == vault
  }
}
