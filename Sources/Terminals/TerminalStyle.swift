import CLinux
import EncryptedFile
import Glibc

/// What can be shown at standard output.
package struct TerminalStyle {
  /// How many columns a line has; `nil` where nobody sees lines as such.
  package let width: Int?
  /// Whether text may be bold and the like.
  package let hasColor: Bool

  /// Looks where standard output leads. COLUMNS says how wide it is in place of the terminal; NO_COLOR (no-color.org)
  /// and a TERM that is dumb forbid colour.
  package init() {
    guard StandardStreams.isTerminal(1) else {
      (width, hasColor) = (nil, false)
      return
    }
    let variable = VaultLocation.environmentVariable
    let given = variable("COLUMNS").flatMap { Int($0) } ?? 0
    let own = Int(clinux_terminal_width(1))
    width = given > 0 ? given : own > 0 ? own : nil
    hasColor = (variable("NO_COLOR") ?? "").isEmpty && !["", "dumb"].contains(variable("TERM") ?? "")
  }

  /// A line that stands out (ECMA-48, Select Graphic Rendition).
  package func heading(_ line: String) -> String {
    hasColor ? "\u{1b}[1m\(line)\u{1b}[0m" : line
  }
}
