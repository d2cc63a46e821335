import Bytes
import CredentialProtocols
import EncryptedFile
import Glibc
import Keychain
import PrivateFiles
import ToolCommands

/// The names by which tools call this program: symbolic links to `llavero-credential`.
enum ProgramLinks {
  static let git = GitCredentialCommand.name

  static var all: [String] { [git] + Tool.all.flatMap(\.links) }

  /// The names of other programs that it can replace. Links with these names are made only on request.
  static var standIns: [String] { Tool.all.flatMap(\.standsInFor) + [SecurityCommand.name] }

  /// The path of `llavero`, with all links resolved. This also works in the program for the Secret Service, which is
  /// beside it or in `../libexec/llavero`.
  ///
  /// - Throws: ``KeychainError`` if the kernel doesn't tell.
  static func program() throws(KeychainError) -> String {
    guard let path = realPath("/proc/self/exe") else {
      throw .failure("cannot tell where llavero is", status: .keychain)
    }
    let suffix = "/" + SecretServiceCompanion.name
    guard path.hasSuffix(suffix) else { return path }
    let folder = path.dropLast(suffix.count)
    let name = Executables.people
    return ["\(folder)/\(name)", "\(folder)/../../bin/\(name)"].lazy.compactMap(realPath).first ?? path
  }

  /// Whether people type this name, and no tool calls it.
  static func isForPeople(_ name: String) -> Bool { name == SecurityCommand.name }

  static func folder(of path: String) -> String {
    path.split(separator: "/").dropLast().map { "/\($0)" }.joined()
  }

  static func toolsProgram(beside program: String) -> String? {
    guard let slash = program.lastIndex(of: "/") else { return nil }
    let path = "\(program[..<slash])/\(Executables.tools)"
    return access(path, X_OK) == 0 ? realPath(path) : nil
  }

  /// Whether a path leads to an executable of this installation. Links made where `llavero` is alone lead to that,
  /// which answers tools as well.
  static func isOwn(_ path: String) -> Bool {
    guard let program = try? program() else { return false }
    return LastingPath.isSameFile(path, program)
      || toolsProgram(beside: program).map { LastingPath.isSameFile(path, $0) } ?? false
  }

  /// Whether a path is a link to this program, or to an `llavero` that has moved.
  static func isOwnLink(_ path: String) -> Bool {
    guard let target = linkTarget(path) else { return false }
    let last = target.split(separator: "/").last.map(String.init) ?? ""
    return [Executables.people, Executables.tools].contains(last) || isOwn(path)
  }

  /// A link to make, or one that exists already.
  struct Link {
    let path: String
    let target: String
    let isThere: Bool
  }

  /// The links to make for these names in a folder. Changes nothing.
  ///
  /// - Throws: ``KeychainError`` if something else has one of the names.
  static func plan(_ names: [String], in folder: String) throws(KeychainError) -> [Link] {
    guard let real = realPath(folder) else {
      throw .failure("there is no folder \(folder)", hint: "make it first", status: .usage)
    }
    var links: [Link] = []
    for name in names {
      let target = target(try LastingPath.forLink(name), from: real)
      let path = real == "/" ? "/\(name)" : "\(real)/\(name)"
      guard let present = linkTarget(path) else {
        if access(path, F_OK) == 0 {
          throw .failure(
            "\(path) is another program", hint: "move it away, or name another folder", status: .usage)
        }
        links.append(Link(path: path, target: target, isThere: false))
        continue
      }
      guard isOwnLink(path) else {
        throw .failure(
          "\(path) is a link to \(present)", hint: "remove it, or name another folder", status: .usage)
      }
      links.append(Link(path: path, target: target, isThere: present == target))
    }
    return links
  }

  /// The target to write into a link. It is relative within a folder, so that the link still works if the folder is
  /// moved as a whole, such as a package's.
  private static func target(_ program: String, from folder: String) -> String {
    guard let slash = program.lastIndex(of: "/"), realPath(String(program[..<slash])) == folder else {
      return program
    }
    return String(program[program.index(after: slash)...])
  }

  /// Makes a link, replacing an existing one.
  static func make(_ link: Link) throws(KeychainError) {
    if link.isThere { return }
    // Made under a temporary name first, so that the name always exists.
    let temporary = temporaryName(of: link.path)
    if symlink(link.target, temporary) != 0 || rename(temporary, link.path) != 0 {
      let number = errno
      unlink(temporary)
      throw .failure("cannot make the link \(link.path): \(errorText(number))", status: .keychain)
    }
  }

  /// Removes a link to this program, or to one that has moved. Returns whether there was one.
  static func remove(_ path: String) throws(KeychainError) -> Bool {
    guard isOwnLink(path) else { return false }
    if unlink(path) != 0 {
      throw .failure("cannot remove the link \(path): \(errorText(errno))", status: .keychain)
    }
    return true
  }

  /// The path of a program on the PATH.
  static func found(_ name: String) -> String? {
    ProgramSearch.path(of: CString(copying: name)).flatMap { $0.first == "/" ? $0 : nil }
  }

  /// Whether there is a file, folder or link, even a dangling one.
  static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  static func linkTarget(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count)
    guard count >= 0 else { return nil }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
