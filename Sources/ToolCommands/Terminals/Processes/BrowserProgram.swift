import Bytes
import EncryptedFile

/// The program that opens a page in the person's browser.
package enum BrowserProgram {
  /// Whether the person can see a browser here: there is a display, and it isn't another machine's.
  package static var isThere: Bool { Program.hasDisplay && variable("SSH_CONNECTION").isEmpty && path != nil }

  private static let openers = ["xdg-open", "wslview", "x-www-browser", "open"]

  private static func variable(_ name: String) -> String { VaultLocation.environmentVariable(name) ?? "" }

  /// The opener: from `BROWSER`, which may be a list with colons, else the desktop's.
  private static var path: String? {
    let named = variable("BROWSER").split(separator: ":").map(String.init)
    return (named + openers).lazy.compactMap { ProgramSearch.path(of: CString(copying: $0)) }.first
  }

  /// Opens a page without waiting: many openers run as long as the browser does. Returns whether one was started.
  package static func open(_ url: String) -> Bool {
    guard let path else { return false }
    // Standard input and output belong to the program that waits for tokens; Ctrl-C in the terminal isn't for the
    // browser.
    let start = ProgramStart(
      [CString(copying: path), CString(copying: url)], at: CString(copying: path), [.null, .null, .null],
      .background)
    return (try? start.run()) != nil
  }
}
