import Bytes

enum BrowserProgram {
  /// Whether the person can see a browser here: there is a display, and it isn't another machine's.
  static var isThere: Bool {
    (Variables.has("DISPLAY") || Variables.has("WAYLAND_DISPLAY")) && !Variables.has("SSH_CONNECTION")
      && path != nil
  }

  private static let openers = ["xdg-open", "wslview", "x-www-browser", "open"]

  /// The opener: from `BROWSER`, which may be a list with colons, else the desktop's.
  private static var path: String? {
    let named = (Variables.value("BROWSER") ?? "").split(separator: ":").map(String.init)
    return (named + openers).lazy.compactMap { ProgramSearch.path(of: CString(copying: $0)) }.first
  }

  /// Opens a page without waiting: many openers run as long as the browser does. Returns whether one was started.
  static func open(_ url: String) -> Bool {
    guard let path else { return false }
    // Standard input and output belong to the program that waits for tokens; Ctrl-C in the terminal isn't for the
    // browser.
    let start = ProgramStart(
      [CString(copying: path), CString(copying: url)], at: CString(copying: path), [.null, .null, .null],
      .background)
    return (try? start.run()) != nil
  }
}
