import Bytes
import Glibc
import Keychain
import PrivateFiles
import ToolCommands

/// This program's paths for other programs' configurations, and for links. An upgrade may replace the program's
/// folder, and change only a link to it, as stow, Homebrew, Nix and people with a folder for each version do. So a
/// path in use is kept, unless somebody else could put another program there.
enum LastingPath {
  /// The path of `llavero`: its first entry on the PATH, without resolving links; else the path as typed; else the
  /// resolved one.
  ///
  /// - Throws: ``KeychainError`` if the kernel doesn't tell where this program is.
  static func ofProgram() throws(KeychainError) -> String {
    let program = try ProgramLinks.program()
    return onPath(Executables.people) { isSameFile($0, program) } ?? typed.flatMap {
      isSameFile($0, program) && !PathSafety.strangersMayChange($0) ? $0 : nil
    } ?? program
  }

  /// The target for a link of this name: `llavero-credential`, which answers tools faster, if it is found as `llavero`
  /// is, otherwise `llavero` itself. Names that people type always lead to `llavero`.
  ///
  /// - Throws: ``KeychainError`` if the kernel doesn't tell where this program is.
  static func forLink(_ name: String) throws(KeychainError) -> String {
    let program = try ofProgram()
    if ProgramLinks.isForPeople(name) { return program }
    guard let tools = ProgramLinks.toolsProgram(beside: try ProgramLinks.program()) else { return program }
    let beside = ProgramLinks.folder(of: program) + "/\(Executables.tools)"
    if isSameFile(beside, tools) { return beside }
    return onPath(Executables.tools) { isSameFile($0, tools) } ?? program
  }

  /// The path of a link to this program: its first entry on the PATH, else beside `llavero`.
  static func ofLink(_ name: String) -> String? {
    if let path = onPath(name, where: ProgramLinks.isOwn) { return path }
    let folders = [try? ofProgram(), try? ProgramLinks.program()].compactMap { $0 }.map(ProgramLinks.folder)
    return folders.map { "\($0)/\(name)" }.first(where: ProgramLinks.isOwn)
  }

  private static func onPath(_ name: String, where isRight: (String) -> Bool) -> String? {
    let folders = (CString(variable: "PATH")?.text ?? "").split(separator: ":")
    return folders.lazy.filter { $0.first == "/" }.map { folder in
      (folder.last == "/" ? "\(folder)" : "\(folder)/") + name
    }.first { isRight($0) && !PathSafety.strangersMayChange($0) }
  }

  /// The absolute path by which a person has run this program; `nil` if it was found on the PATH.
  private static var typed: String? {
    guard let name = CString.argument(at: 0)?.text, name.contains("/") else { return nil }
    if name.hasPrefix("/") { return name }
    guard let folder = getcwd(nil, 0) else { return nil }
    defer { free(folder) }
    return "\(String(cString: folder))/\(name.hasPrefix("./") ? String(name.dropFirst(2)) : name)"
  }

  /// Whether two paths lead to one file, by whatever links.
  static func isSameFile(_ path: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    return stat(path, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev
      && first.st_ino == second.st_ino
  }
}

/// A path in a configuration that should lead to this program.
struct NamedPath: Hashable {
  let path: String

  /// The folder of Python's module, which is named like a program of llavero's.
  private static let module = "llavero-keyring"

  /// llavero's absolute paths in the value of a setting.
  static func all(in value: String) -> [NamedPath] {
    if isLlavero(value) { return [NamedPath(path: value)] }
    var paths: [NamedPath] = []
    for (index, part) in value.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
      // Quotes enclose one word, perhaps after a name and an equals sign.
      let words = index % 2 == 1 ? [part] : part.split(whereSeparator: { " ;,=".contains($0) })
      paths += words.map(String.init).filter(isLlavero).map { NamedPath(path: $0) }
    }
    return paths
  }

  /// Whether a text is an absolute path that ends in one of llavero's names.
  static func isLlavero(_ text: some StringProtocol) -> Bool {
    let text = String(text)
    guard text.hasPrefix("/"), let last = text.split(separator: "/").last.map(String.init) else {
      return false
    }
    return last == module || [Executables.people, Executables.tools].contains(last)
      || ProgramLinks.all.contains(last)
  }

  private static func isOwnModule(_ path: String) -> Bool {
    guard let program = try? ProgramLinks.program() else { return false }
    let prefix = ProgramLinks.folder(of: ProgramLinks.folder(of: program))
    return LastingPath.isSameFile(path, "\(prefix)/share/\(module)")
  }

  /// The path's fault, for people; `nil` if it leads to this program.
  var fault: String? {
    if access(path, F_OK) != 0 {
      let target = ProgramLinks.linkTarget(path)
      return target.map { "\(path) leads to \($0), which is gone" } ?? "\(path) is gone"
    }
    if path.hasSuffix("/\(Self.module)") ? Self.isOwnModule(path) : ProgramLinks.isOwn(path) { return nil }
    if let target = ProgramLinks.linkTarget(path), target.hasPrefix("/") {
      return "\(path) leads to \(target), which is another llavero than this one"
    }
    return "\(path) is another llavero than this one"
  }
}
