import Bytes
import Glibc
import Keychain
import ToolCommands

/// The user's editor: `VISUAL`, else `EDITOR`, else `editor`, else `vi`.
enum Editor {
  private static var named: CString? { CString(variable: "VISUAL") ?? CString(variable: "EDITOR") }

  /// Checks that there can be an editor: one that is named may need no terminal, and the others wait for a person.
  ///
  /// - Throws: ``KeychainError`` if none is named, and nobody on a terminal may be asked.
  static func check(_ selection: KeychainSelection) throws(KeychainError) {
    if named != nil || Terminal.ofPerson(mayAsk: selection.mayAskPerson) != nil { return }
    throw .failure(
      selection.mayAskPerson
        ? "there is no terminal for an editor" : "nobody may be asked, so no editor is started",
      hint: "'llavero update' changes an item without one; VISUAL or EDITOR names one that needs no terminal",
      status: .usage)
  }

  /// Opens a text in the editor, and returns the text when the editor has ended.
  ///
  /// Meanwhile signals are held back or go to the editor, so that the temporary file is always removed.
  ///
  /// - Throws: ``KeychainError`` if there is no editor, it fails, or the file can't be created.
  static func edit(_ text: [UInt8]) throws(KeychainError) -> [UInt8] {
    let supervised = try SupervisedProgram()
    let file = try FileToEdit(text)
    let ending = try run(supervised, file.path)
    guard ending == .exited(0) else {
      throw .failure("the editor \(ending.text); nothing was changed", status: .usage)
    }
    do throws(KeychainError) {
      return try file.read()
    } catch .missing {
      throw .failure("the editor has removed the file; nothing was changed", status: .usage)
    }
  }

  private static func run(
    _ supervised: borrowing SupervisedProgram, _ path: String
  ) throws(KeychainError) -> ProgramEnding {
    let environment = ProgramEnvironment()
    if let editor = named {
      // As git runs it: the value may contain arguments and other shell syntax.
      let command = CString(copying: ByteString(editor.bytes.bytes + Array(#" "$@""#.utf8)))
      switch supervised.run(["sh", "-c", command, editor, CString(copying: path)], environment) {
      case .ended(let ending): return ending
      case .failed(let errno): throw .failure("cannot run the shell: \(errorText(errno))", status: .usage)
      }
    }
    for name in ["editor", "vi"] as [CString] {
      if case .ended(let ending) = supervised.run([name, CString(copying: path)], environment) {
        return ending
      }
    }
    throw .failure(
      "there is neither a program 'editor' nor 'vi'", hint: "name yours in the variable EDITOR",
      status: .usage)
  }
}

extension CString: ExpressibleByStringLiteral {
  init(stringLiteral literal: StaticString) { self.init(literal) }
}
