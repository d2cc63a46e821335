public import Keychain

/// Reads a command line word by word: options as `--name`, `--name VALUE` and `--name=VALUE`, operands between them,
/// and only operands after `--`.
public struct ArgumentReader: Sendable {
  /// A word of the command line.
  public enum Word: Equatable, Sendable {
    /// An option's name, with the hyphens. Its value comes from ``ArgumentReader/value()``.
    case option(String)
    /// An operand. A single hyphen is one.
    case operand(ByteString)
    /// The word `--`. Only operands follow, in ``ArgumentReader/rest``.
    case end
  }

  /// The unread words.
  public private(set) var rest: ArraySlice<ByteString>
  private var option = ""
  private var attached: ByteString?

  /// Reads the arguments, without the program's name.
  public init(_ arguments: [ByteString]) {
    rest = arguments[...]
  }

  /// Reads the next word; `nil` if there is none.
  public mutating func next() -> Word? {
    attached = nil
    guard let word = rest.popFirst() else { return nil }
    if word == "--" { return .end }
    guard Self.isOption(word) else { return .operand(word) }
    let equals = word.bytes.firstIndex(of: UInt8(ascii: "="))
    option = String(decoding: word.bytes[..<(equals ?? word.bytes.endIndex)], as: UTF8.self)
    attached = equals.map { ByteString(Array(word.bytes[($0 + 1)...])) }
    return .option(option)
  }

  /// Reads the value of the option just returned by ``next()``: the text after its equals sign, or the next word.
  ///
  /// - Throws: ``KeychainError`` if there is none.
  public mutating func value() throws(KeychainError) -> ByteString {
    if let attached { return attached }
    guard let word = rest.popFirst() else { throw .misused("\(option) needs a value") }
    return word
  }

  /// Reads the values of an option with any number of them: the text after its equals sign, and all words up to the
  /// next option.
  public mutating func values() -> [ByteString] {
    let words = rest.prefix { !$0.bytes.starts(with: [UInt8(ascii: "-")]) }
    rest = rest.dropFirst(words.count)
    return (attached.map { [$0] } ?? []) + words
  }

  private static func isOption(_ word: ByteString) -> Bool {
    word.bytes.count > 1 && word.bytes.first == UInt8(ascii: "-")
  }
}
