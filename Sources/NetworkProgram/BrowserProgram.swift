import CLinux
import Glibc
import Processes

/// The program that opens a page in the person's browser.
enum BrowserProgram {
  /// Whether the person can see a browser here: there is a display, and it isn't another machine's.
  static var isThere: Bool {
    (Variables.has("DISPLAY") || Variables.has("WAYLAND_DISPLAY")) && !Variables.has("SSH_CONNECTION")
      && path != nil
  }

  private static let openers = ["xdg-open", "wslview", "x-www-browser", "open"]

  /// The opener: what `BROWSER` names, which may be a list with colons, else the desktop's.
  private static var path: String? {
    let named = (Variables.value("BROWSER") ?? "").split(separator: ":").map(String.init)
    return (named + openers).lazy.compactMap { ProgramSearch.path(of: CString(copying: $0)) }.first
  }

  /// Opens a page, and doesn't wait: many openers run as long as the browser does.
  ///
  /// - Returns: whether an opener was started.
  static func open(_ url: String) -> Bool {
    guard let path else { return false }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Standard input and output belong to the program that waits for tokens.
    for descriptor: Int32 in 0...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    clinux_close_from(&actions, 3)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Ctrl-C in the terminal is not meant for the browser. 0x80 is POSIX_SPAWN_SETSID (a GNU extension).
    posix_spawnattr_setflags(&attributes, 0x80)
    var child: pid_t = 0
    return CString.withPointers([CString(copying: path), CString(copying: url)]) { pointers in
      posix_spawn(&child, path, &actions, &attributes, pointers, environ) == 0
    }
  }
}
