public import Keychain

/// The parsed command line of a tool: options and operands in any order, and only operands after `--`.
public struct ToolArguments: Sendable {
  /// The arguments that are not options.
  public private(set) var operands: [ByteString] = []
  private var options: [(name: String, value: ByteString)] = []

  /// Parses arguments.
  ///
  /// - Parameters:
  ///   - arguments: the arguments without the program's name.
  ///   - programName: the program's name.
  ///   - known: the protocol's own options.
  ///   - other: takes any other option, and returns whether it knows it; `value` returns the option's value.
  /// - Throws: ``KeychainError`` for an unknown option or a missing value, and the errors of `other`.
  public init(
    _ arguments: [ByteString], of programName: String, _ known: [ToolOption],
    other: (_ name: String, _ value: () throws(KeychainError) -> ByteString) throws(KeychainError) -> Bool
  ) throws(KeychainError) {
    var reader = ArgumentReader(arguments)
    while let word = reader.next() {
      switch word {
      case .operand(let operand): operands.append(operand)
      case .end:
        operands += reader.rest
        return
      case .option(let name):
        if let option = known.first(where: { $0.name == name }) {
          options.append((name, option.takesValue ? try reader.value() : ""))
        } else if !(try other(name) { () throws(KeychainError) in try reader.value() }) {
          throw .misused("unknown option \(name)", hint: "see '\(prose: programName) --help'")
        }
      }
    }
  }

  /// The values given for an option, in order; empty texts for a flag.
  public func values(of option: String) -> [ByteString] {
    options.filter { $0.name == option }.map(\.value)
  }
}
