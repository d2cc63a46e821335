import CredentialProtocols

/// A text for a terminal. Whatever is put into it shows its invisible characters, as ``terminalText(_:)`` has them.
package struct TextForTerminal: ExpressibleByStringInterpolation {
  /// The text, in which nothing but what stands in the program acts on a terminal.
  package private(set) var shown: String

  /// Takes a text of this program's own.
  package init(stringLiteral text: String) {
    shown = text
  }

  /// Takes such a text, and what was put in.
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

    /// Puts in anything.
    package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      shown += terminalText("\(value)")
    }

    /// Puts in what is such a text.
    package mutating func appendInterpolation(_ text: TextForTerminal) { shown += text.shown }

    /// Puts in a command, in quotes.
    package mutating func appendInterpolation(command words: any CustomStringConvertible...) {
      shown += terminalText(ShellCommand(words).inSentence)
    }
  }
}
