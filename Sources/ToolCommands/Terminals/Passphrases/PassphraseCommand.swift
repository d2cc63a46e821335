import Bytes
import Keychain

/// A shell command that prints the passphrase. It runs with `/bin/sh -c`, as git's configured commands do.
package struct PassphraseCommand {
  package static let variable = "LLAVERO_PASSPHRASE_COMMAND"
  static let name = "the command of LLAVERO_PASSPHRASE_COMMAND"

  let command: CString
  /// In milliseconds.
  let timeout: Int

  /// The command's output without a final line feed.
  ///
  /// - Throws: ``KeychainError/unavailable(reason:)`` if it fails, takes too long, prints too much or nothing.
  func passphrase() throws(KeychainError) -> Secret {
    let outcome = try ProgramOutput.read(
      [CString("/bin/sh"), CString("-c"), command], timeout: timeout, limit: PassphraseSources.longest)
    switch consume outcome {
    case .printed(let printed):
      let passphrase = printed.withoutLastLineFeed()
      if passphrase.isEmpty { throw .unavailable(reason: "\(Self.name) printed no passphrase") }
      return passphrase
    case .failed(.ended(let ending)): throw .unavailable(reason: "\(Self.name) \(ending.text)")
    case .failed(.tooSlow(let milliseconds)):
      throw .unavailable(reason: "\(Self.name) has not ended within \(Self.seconds(milliseconds))")
    case .failed(.tooMuch(let limit)):
      throw .unavailable(reason: "\(Self.name) printed more than \(limit) bytes")
    }
  }

  private static func seconds(_ milliseconds: Int) -> String {
    if milliseconds == 1000 { return "a second" }
    return milliseconds % 1000 == 0
      ? "\(milliseconds / 1000) seconds" : "\(Double(milliseconds) / 1000) seconds"
  }
}
