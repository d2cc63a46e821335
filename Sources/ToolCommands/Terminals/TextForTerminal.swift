import Bytes
import CredentialProtocols
import Keychain

/// A text for a terminal. Interpolated values show their invisible characters, as by ``terminalText(_:)``.
package struct TextForTerminal: ExpressibleByStringInterpolation {
  /// Only the program's own literals can contain control sequences.
  package private(set) var shown: String

  package init(stringLiteral text: String) {
    shown = text
  }

  package init(stringInterpolation parts: StringInterpolation) {
    shown = parts.shown
  }

  package static func + (first: TextForTerminal, second: TextForTerminal) -> TextForTerminal {
    TextForTerminal(stringLiteral: first.shown + second.shown)
  }

  package static func += (first: inout TextForTerminal, second: TextForTerminal) {
    first.shown += second.shown
  }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var shown = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      shown.reserveCapacity(literalCapacity)
    }

    package mutating func appendLiteral(_ literal: String) { shown += literal }

    package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      shown += terminalText("\(value)")
    }

    package mutating func appendInterpolation(_ text: TextForTerminal) { shown += text.shown }

    /// The path of a file or folder, with `~` for the home folder.
    package mutating func appendInterpolation(path: String) { shown += withTilde(terminalText(path)) }

    package mutating func appendInterpolation(command words: any CustomStringConvertible...) {
      shown += terminalText(ShellCommand(words).inSentence)
    }
  }
}

/// Text with every invisible character shown as `\u{…}`; see ``showingInvisible(_:)``.
package func terminalText(_ text: String) -> String { showingInvisible(text) }
