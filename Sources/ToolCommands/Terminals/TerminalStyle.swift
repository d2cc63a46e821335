import CLinux
import EncryptedFile
import Glibc

package struct TerminalStyle {
  /// The number of columns in a line; `nil` without a terminal.
  package let width: Int?
  package let hasColor: Bool

  /// COLUMNS overrides the terminal's width; NO_COLOR (no-color.org) and the TERM `dumb` forbid colour.
  package init() {
    guard StandardStreams.isTerminal(1) else {
      (width, hasColor) = (nil, false)
      return
    }
    let variable = VaultLocation.environmentVariable
    let given = variable("COLUMNS").flatMap { Int($0) } ?? 0
    let own = Int(clinux_terminal_width(1))
    width = given > 0 ? given : own > 0 ? own : nil
    hasColor = (variable("NO_COLOR") ?? "").isEmpty && Self.knowsEscapes
  }

  /// Whether the terminal knows control sequences; the TERM `dumb` says that it doesn't.
  package static var knowsEscapes: Bool {
    !["", "dumb"].contains(VaultLocation.environmentVariable("TERM") ?? "")
  }

  /// A highlighted line (ECMA-48, Select Graphic Rendition).
  package func heading(_ line: String) -> String {
    hasColor ? "\u{1b}[1m\(line)\u{1b}[0m" : line
  }
}
