import Bytes
import CredentialProtocols

/// A text for a terminal. Interpolated values have their invisible characters shown, as by ``terminalText(_:)``.
package struct TextForTerminal: ExpressibleByStringInterpolation {
  /// The text. Only the program's own literals can contain control sequences.
  package private(set) var shown: String

  /// Creates a text from a literal.
  package init(stringLiteral text: String) {
    shown = text
  }

  /// Creates a text from an interpolated literal.
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

    /// Inserts any value.
    package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      shown += terminalText("\(value)")
    }

    /// Inserts another such text.
    package mutating func appendInterpolation(_ text: TextForTerminal) { shown += text.shown }

    /// Inserts a command, in quotes.
    package mutating func appendInterpolation(command words: any CustomStringConvertible...) {
      shown += terminalText(ShellCommand(words).inSentence)
    }
  }
}

/// Text with every invisible character shown as `\u{…}`; see ``showingInvisible(_:)``.
package func terminalText(_ text: String) -> String { showingInvisible(text) }
