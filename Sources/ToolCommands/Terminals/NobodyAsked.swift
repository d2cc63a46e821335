package import Keychain
import KeychainChoice

/// That nobody is asked for what opens a keychain: what forbids it, and how somebody is asked.
package enum NobodyAsked {
  /// `nobody can be asked`, or what forbids that.
  package static var text: String { ban.map { "\($0) lets nobody be asked" } ?? "nobody can be asked" }

  /// `LLAVERO_PROMPT=never`, if the user has set it, and not a sync for the git that it runs.
  static var variable: String? {
    KeychainEnvironment().forbidsPrompts && !BackgroundSync.isUnderWay ? "LLAVERO_PROMPT=never" : nil
  }

  /// What forbids to ask; `nil` if there only is nobody.
  private static var ban: String? {
    // What follows -- belongs to another program.
    variable ?? CommandLine.arguments.prefix { $0 != "--" }.first { $0 == "--no-prompt" }
  }

  /// How somebody is asked for what opens an encrypted file.
  ///
  /// - Parameters:
  ///   - unlocking: the command that unlocks it, where something may keep it unlocked.
  ///   - user: what uses the keychain, and then asks.
  package static func asking(by unlocking: Hint, or user: Hint = "this") -> Hint {
    if let ban { return "run \(user) on a terminal without \(prose: ban)" }
    let command = KeychainEnvironment().keepsNothingUnlocked ? user : unlocking
    return "run \(command) in the foreground of a terminal"
  }
}
