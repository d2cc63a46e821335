/// Advice on a failure: a line in lowercase without a full stop.
///
/// People paste from it. So every interpolation states the kind of text, and commands are quoted here.
public struct Hint: Hashable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
  /// The line. Names in it are not escaped for a terminal.
  public let description: String

  /// What to do where nothing matched.
  package static let seeList: Hint = "see what there is with 'llavero list'"

  /// Creates a hint from a literal.
  public init(stringLiteral text: String) {
    description = text
  }

  /// Creates a hint from an interpolated literal.
  public init(stringInterpolation parts: StringInterpolation) {
    description = parts.text
  }

  /// The parts of a hint.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    /// Reserves memory.
    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity)
    }

    /// Appends a literal part.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Inserts a number.
    public mutating func appendInterpolation(_ number: some BinaryInteger) { text += "\(number)" }

    /// Inserts another hint.
    public mutating func appendInterpolation(_ hint: Hint) { text += hint.description }

    /// Inserts a command, quoted unless it contains quotes: `'llavero slot list'`.
    public mutating func appendInterpolation(command words: any CustomStringConvertible...) {
      appendInterpolation(commandOf: words)
    }

    /// Inserts a command given as an array of words.
    public mutating func appendInterpolation(commandOf words: [any CustomStringConvertible]) {
      text += ShellCommand(words).inSentence
    }

    /// Inserts part of a command, without quotes around it.
    public mutating func appendInterpolation(words: any CustomStringConvertible...) {
      text += ShellCommand(words).description
    }

    /// Inserts part of a command given as an array of words, without quotes around it.
    public mutating func appendInterpolation(wordsOf words: [any CustomStringConvertible]) {
      text += ShellCommand(words).description
    }

    /// Inserts text that isn't meant for pasting: a name, or a list of names.
    public mutating func appendInterpolation(prose: some CustomStringConvertible) { text += "\(prose)" }
  }
}
