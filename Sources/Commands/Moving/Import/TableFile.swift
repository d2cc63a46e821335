import Bytes
import Interchange
import Keychain
import ToolCommands

/// A table of no known program: a person names its columns, or confirms a guess.
struct TableFile {
  let path: String
  let columns: String?
  let mayAsk: Bool

  /// - Throws: ``KeychainError`` if nobody names the columns.
  func format() throws(KeychainError) -> FileFormat {
    if let columns {
      do throws(FormatFault) { return try TableColumns(columns).format } catch {
        throw .failure("--columns '\(columns)': \(error.reason)", hint: "\(prose: Self.help)", status: .usage)
      }
    }
    if path == "-" {
      throw .failure(
        "the columns of standard input must be named", hint: "\(prose: Self.help)", status: .usage)
    }
    let contents = try FileContents.read(path, limit: LlaveroFileSource.limit)
    let detection = contents.withUnsafeBytes { FormatDetection($0) }
    if let fault = detection.fault {
      throw .failure("\(path) is no table: \(fault.reason)", hint: fault.conversion(of: path), status: .usage)
    }
    guard let guess = TableColumns(guessedFrom: detection.columns) else {
      let names = detection.columns.map { "'\($0)'" }.joined(separator: ", ")
      throw .failure(
        names.isEmpty
          ? "\(path) doesn't begin with the names of columns"
          : "the columns of \(path) must be named: \(names)",
        hint: "\(prose: Self.help)", status: .usage)
    }
    try ask(guess, detection)
    return guess.format
  }

  private func ask(_ guess: TableColumns, _ detection: FormatDetection) throws(KeychainError) {
    let refusal = KeychainError(
      "the columns of \(path) must be confirmed",
      hint: "if it is this, type \(command: "llavero", "import", "csv", path, "--columns", guess.text)",
      status: .usage)
    guard let terminal = Terminal.ofPerson(mayAsk: mayAsk) else { throw refusal }
    var question: TextForTerminal = "The columns of \(path) seem to be:\n"
    for column in guess.columns { question += "  \(column.meaning.padded(to: 10))\(column.name)\n" }
    for name in detection.columns where !guess.columns.contains(where: { $0.name == name }) {
      question += "  \("-".padded(to: 10))\(name), which stays there\n"
    }
    if terminal.ask(question + "Is that right? y or n: ", among: ["y", "n"]) != "y" { throw refusal }
  }

  private static let help =
    "such as --columns url=Website,account=Login,password=Pass; there are name, url, account, password, notes, code, "
    + "tags, created, modified and field:NAME"
}
