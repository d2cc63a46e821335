/// What a person can do about a failure: a line in small letters without a full stop.
///
/// People paste what is in it. So nothing can be put in without saying what it is, and a command's words are quoted here.
public struct Hint: Hashable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
  /// The line. What it names is not escaped for a terminal.
  public let description: String

  /// Takes a text of this program's own.
  public init(stringLiteral text: String) {
    description = text
  }

  /// Takes such a text, and what was put in.
  public init(stringInterpolation parts: StringInterpolation) {
    description = parts.text
  }

  /// The parts of a hint.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    /// Makes room.
    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity)
    }

    /// Takes what stands in the program.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Puts in a number.
    public mutating func appendInterpolation(_ number: some BinaryInteger) { text += "\(number)" }

    /// Puts in what is a hint already.
    public mutating func appendInterpolation(_ hint: Hint) { text += hint.description }

    /// Puts in a command, in quotes if it has none: `'llavero slot list'`.
    public mutating func appendInterpolation(command words: any CustomStringConvertible...) {
      appendInterpolation(commandOf: words)
    }

    /// The same with the words in an array.
    public mutating func appendInterpolation(commandOf words: [any CustomStringConvertible]) {
      text += ShellCommand(words).inSentence
    }

    /// Puts in a part of a command that stands there without quotes.
    public mutating func appendInterpolation(words: any CustomStringConvertible...) {
      text += ShellCommand(words).description
    }

    /// Puts in what nobody pastes: a name, or a list of them.
    public mutating func appendInterpolation(prose: some CustomStringConvertible) { text += "\(prose)" }
  }
}
