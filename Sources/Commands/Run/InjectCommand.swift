import Bytes
import CredentialProtocols
import Glibc
import Keychain
import KeychainChoice
import ToolCommands

/// `llavero inject`: fills a template with secrets, for its output or for a program. It passes the program's arguments
/// on byte for byte, so it starts without ArgumentParser.
enum InjectCommand {
  static let name = "inject"

  static let usage = """
    usage: llavero inject [OPTION...] [TEMPLATE]
           llavero inject [OPTION...] [--output FILE] [TEMPLATE]
                          -- PROGRAM [ARGUMENT...]

    Fills a template with secrets: ${llavero://SERVICE/ACCOUNT} and
    ${llavero+https://USER@HOST/PATH} in any text, as 'llavero run' takes them. The
    template is a file or, without a name, standard input.

    Without a program it is printed. With one, it is in a file in memory that only
    you can read and that is gone with the program; INJECTED is its path.

      --output FILE           makes FILE a link to it, for as long as the program
                              runs; FILE must not be there yet
      --keychain NAME, --collection NAME, --session KIND, --passphrase-fd N,
      --no-prompt             as for git-credential-llavero(1)

    If a secret is missing, nothing is printed and nothing is run. See
    llavero-inject(1).

    """

  /// In bytes.
  private static let longest = 4 << 20

  private struct Options {
    var selection = KeychainSelection()
    var template: CString?
    var output: ByteString?
    var program: [CString] = []
    var hasProgram = false
    var wantsHelp = false

    init(parsing arguments: [CString]) throws(KeychainError) {
      selection.readsSecrets = true
      var reader = ArgumentReader(arguments.map(\.bytes))
      func value() throws(KeychainError) -> ByteString { try reader.value() }
      while let word = reader.next() {
        switch word {
        case .end:
          program = arguments.suffix(reader.rest.count)
          hasProgram = true
          return
        case .operand(let file):
          if template != nil {
            throw .failure("more than one template was named", hint: InjectCommand.help, status: .usage)
          }
          if file != "-" { template = CString(copying: file) }
        case .option("--output"): output = try value()
        case .option("--help"), .option("-h"): wantsHelp = true
        case .option(let name):
          if !(try selection.take(name) { () throws(KeychainError) in "\(try value())" }) {
            throw .failure("unknown option \(name)", hint: InjectCommand.help, status: .usage)
          }
        }
      }
    }
  }

  private static let help: Hint = "see 'llavero inject --help'"

  /// Prints the filled template, or runs the program with it, and returns the exit status.
  ///
  /// - Throws: ``KeychainError`` if a secret is missing, the keychain can't be used or the call is wrong. Then nothing was
  ///   printed, and nothing has run.
  static func run(_ arguments: [CString]) throws(KeychainError) -> Int32 {
    let options = try Options(parsing: arguments)
    if options.wantsHelp {
      try NarrowHelp.write(usage)
      return ExitStatus.done.rawValue
    }
    if options.hasProgram, options.program.isEmpty {
      throw .failure("no program was given", hint: help, status: .usage)
    }
    if options.output != nil, !options.hasProgram {
      throw .failure(
        "--output makes a file for a program, and none was given",
        hint: "as in: llavero inject --output FILE TEMPLATE -- PROGRAM", status: .usage)
    }
    let program = options.program.isEmpty ? nil : ProgramRun(options.program)
    // Before any file is read, because a file may be a pipe.
    let opener = try options.selection.chooseOrExec()
    let template = try template(options.template)
    let name = options.template?.text ?? "the template"
    let parts = try parts(of: template, name)
    var resolved = ResolvedReferences()
    if !parts.references.isEmpty {
      resolved = try ResolvedReferences(parts.references, in: try opener.open())
    }
    let filled = template.withUnsafeBytes { resolved.filled($0, parts.parts) }
    guard let program else {
      try StandardStreams.write(filled)
      return ExitStatus.done.rawValue
    }
    program.prepare(options.selection)
    return try run(program, with: filled, as: options.output)
  }

  private static func template(_ file: CString?) throws(KeychainError) -> Secret {
    guard let file else { return try StandardStreams.readAll(0, limit: longest, what: "the template") }
    return try NamedFile.contents(of: file, limit: longest)
  }

  /// Takes the template apart.
  ///
  /// - Throws: ``KeychainError`` that names the line of an invalid reference.
  private static func parts(
    of template: borrowing Secret, _ name: String
  ) throws(KeychainError) -> (parts: [ReferencesInText.Part], references: [PlacedReference]) {
    try template.withUnsafeBytes { (text) throws(KeychainError) in
      func line(_ offset: Int) -> Int { 1 + text[..<offset].count { $0 == 0x0a } }
      let parts: ReferencesInText
      do throws(ReferencesInText.Fault) {
        parts = try ReferencesInText(text, isValue: false)
      } catch {
        throw .failure(
          error.isMarked
            ? "\(name): line \(line(error.offset)) has a reference that can't be understood"
            : "\(name): line \(line(error.offset)) has a reference that isn't in braces",
          hint: error.isMarked ? Hint.references : "write it as ${llavero://SERVICE/ACCOUNT}",
          status: .usage)
      }
      return (parts.parts, parts.references(in: name))
    }
  }

  private static func run(
    _ program: ProgramRun, with text: borrowing Secret, as output: ByteString?
  ) throws(KeychainError) -> Int32 {
    // This comes first, so that no signal leaves the file behind.
    let supervised = try SupervisedProgram()
    let file = try TemporaryFile(.filled, text)
    let link = try output.map { (path) throws(KeychainError) in try LinkToFile(path, file.path) }
    var environment = ProgramEnvironment()
    ByteString(file.path).bytes.withUnsafeBytes { environment.set("INJECTED", $0) }
    let status = try program.wait(supervised, environment)
    link?.remove()
    return status
  }
}

/// A symbolic link to a file in memory, where a program looks for it.
private struct LinkToFile {
  private let path: CString
  private let target: String

  /// Makes the link. Replaces one that a killed process left, whose target is gone.
  ///
  /// - Throws: ``KeychainError`` if something else is there, or the link can't be made.
  init(_ path: ByteString, _ target: String) throws(KeychainError) {
    self.path = CString(copying: path)
    self.target = target
    if let left = Self.target(of: self.path), TemporaryFile.isPlace(left), access(left, F_OK) != 0 {
      unlink(self.path.pointer)
    }
    if symlink(target, self.path.pointer) == 0 { return }
    if errno == EEXIST {
      throw .failure(
        "\(path) is there already", hint: "move it away, or leave out --output and use $INJECTED",
        status: .usage)
    }
    throw .failure("cannot make \(path): \(errorText(errno))", status: .usage)
  }

  /// Removes the link, unless the program has replaced it.
  func remove() {
    if Self.target(of: path) == target { unlink(path.pointer) }
  }

  private static func target(of path: CString) -> String? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path.pointer, &buffer, buffer.count)
    return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
  }
}
