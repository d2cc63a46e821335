import Bytes
import EncryptedFile
import Glibc
import Keychain
import KeychainChoice
import ToolCommands

struct SetupPlace {
  private let homeFolder: String
  /// The chosen part of a tool's configuration, such as a profile of aws; `nil` for the usual one.
  private var part: String?
  /// For bazel.
  let hosts: [String]
  /// For the Secret Service.
  let serveOptions: [String]
  /// Whether git may be run to check its reading of a file.
  let mayRunPrograms: Bool
  /// Whether settings are only removed. llavero's own files may then be gone.
  private(set) var isForRemoving = false

  /// - Throws: ``KeychainError`` if HOME isn't set to a path.
  init(
    part: String? = nil, hosts: [String] = [], serveOptions: [String] = [],
    mayRunPrograms: Bool = false
  ) throws(KeychainError) {
    guard let home = VaultLocation.environmentVariable("HOME"), home.hasPrefix("/") else {
      throw .failure("HOME doesn't say where your configuration is", status: .usage)
    }
    homeFolder = home
    self.part = part
    self.hosts = hosts
    self.serveOptions = serveOptions
    self.mayRunPrograms = mayRunPrograms
  }

  var forRemoving: SetupPlace {
    var place = self
    place.isForRemoving = true
    return place
  }

  /// Whether another machine's keychain is in use, for settings that its rules need.
  var usesForwarded: Bool {
    if isForRemoving || !mayRunPrograms { return false }
    do throws(KeychainError) {
      let location = try VaultLocation()
      if let choice = try KeychainChoice.made(named: nil, at: location) {
        return choice.kind.isOfOtherMachine
      }
      return try ProgramOpener(KeychainSelection(mayPrompt: false), location).openIfForwarded() != nil
    } catch {
      return false
    }
  }

  func with(part: String?) -> SetupPlace {
    var place = self
    place.part = part
    return place
  }

  /// The chosen part of a tool's configuration, for its record; `nil` if the tool has no parts.
  func part(of tool: ToolSetup) -> String? { tool.parts.flatMap(part) }

  func part(_ parts: ToolSetup.Parts) -> String? { part ?? parts.usual(self) }

  /// `nil` if it isn't set or is empty.
  func variable(_ name: String) -> String? {
    VaultLocation.environmentVariable(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The absolute path in a variable; `nil` if it isn't set or is empty.
  func path(_ name: String) -> String? {
    variable(name).map(absolutePath)
  }

  func home(_ path: String) -> String { "\(homeFolder)/\(path)" }

  /// A path below the folder for configuration files (XDG Base Directory Specification).
  func config(_ path: String) -> String {
    let folder = variable("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    return "\(folder ?? home(".config"))/\(path)"
  }

  /// The person's folder for data of programs (XDG Base Directory Specification).
  var dataHome: String {
    variable("XDG_DATA_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home(".local/share")
  }

  /// The system's folders for such data, the most important first.
  var dataFolders: [String] {
    (variable("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").split(separator: ":").map(String.init)
  }

  /// The first of several files that exists, or a default.
  func first(of paths: [String], else other: String? = nil) -> ConfigurationFile {
    ConfigurationFile(path: paths.first { access($0, F_OK) == 0 } ?? other ?? paths[0])
  }

  /// - Throws: ``KeychainError`` if the command has characters at which its tool would split it.
  func plain(_ command: String) throws(KeychainError) -> String {
    let isPlain = command.utf8.allSatisfy { $0.isLetterOrDigit || "/._+@%:-".utf8.contains($0) }
    if isPlain || isForRemoving { return command }
    throw Self.takenApart(command, without: "spaces and the like")
  }

  /// - Throws: ``KeychainError`` unless the path means itself in double quotes, also to a shell.
  func quotable(_ path: String) throws(KeychainError) -> String {
    if Self.isQuotable(path) || isForRemoving { return path }
    throw Self.takenApart(path, without: "quotes and the like")
  }

  /// Whether a text means itself in double quotes, also to a shell.
  static func isQuotable(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f && !"\"\\$`".utf8.contains($0) }
  }

  private static func takenApart(_ command: String, without characters: String) -> KeychainError {
    KeychainError(
      "the tool would take \(command) apart",
      hint: "install llavero in a folder without \(prose: characters)", status: .usage)
  }

  /// - Throws: ``KeychainError`` if no link to this program is found on the PATH.
  func needsOnPath(_ link: String) throws(KeychainError) {
    if isForRemoving || isOnPath(link) { return }
    throw .failure(
      "\(link) is nowhere along your PATH",
      hint: "make it with 'llavero link FOLDER', in a folder of your PATH",
      status: .usage)
  }

  /// Returns `short` if its link is on the PATH, otherwise the path of the link beside this program.
  func shortOrAbsolute(_ short: String, _ link: String) throws(KeychainError) -> String {
    isOnPath(link) ? short : try absolute(link)
  }

  /// Whether a tool finds this link also where the PATH is another one, as that of cron and systemd is.
  ///
  /// - Parameter further: a folder that the tool itself searches.
  func isFoundEverywhere(_ link: String, searching further: String?) -> Bool {
    let folders = ["/usr/bin", "/bin", "/usr/local/bin", further].compactMap(\.self)
    if isOnPath(link), let path = ProgramLinks.found(link) {
      return folders.contains(ProgramLinks.folder(of: path))
    }
    return further.map { ProgramLinks.isOwn("\($0)/\(link)") } ?? false
  }

  /// - Throws: ``KeychainError`` if there is no link to this program on the PATH and none beside this program.
  func absolute(_ link: String) throws(KeychainError) -> String {
    if let path = LastingPath.ofLink(link) { return path }
    try needsOnPath(link)
    return "\(ProgramLinks.folder(of: try LastingPath.ofProgram()))/\(link)"
  }

  /// The path of a folder installed along with this program.
  ///
  /// - Throws: ``KeychainError`` if the file isn't in it.
  func installed(_ folder: String, having file: String) throws(KeychainError) -> String {
    let paths = [try LastingPath.ofProgram(), try ProgramLinks.program()].map {
      "\(ProgramLinks.folder(of: ProgramLinks.folder(of: $0)))/\(folder)"
    }
    if let path = paths.first(where: { access("\($0)/\(file)", R_OK) == 0 }) { return path }
    if isForRemoving { return paths[0] }
    throw .failure(
      "\(paths[0])/\(file) is not installed", hint: "install llavero with integration/install",
      status: .usage)
  }

  /// Whether no other program with this name is on the PATH.
  func isNotAnothers(_ name: String) -> Bool {
    ProgramLinks.found(name) == nil || isOnPath(name)
  }

  /// The folder on the PATH with a link to this program, even one that somebody else made. If there is none, or
  /// settings are only removed, the folder for a new link.
  func folder(of link: String) -> String {
    guard !isForRemoving, isOnPath(link), let path = ProgramLinks.found(link) else {
      return folderForPrograms
    }
    return ProgramLinks.folder(of: path)
  }

  /// A folder on the PATH for the user's own programs.
  private var folderForPrograms: String {
    let own = home(".local/bin")
    let path = (variable("PATH") ?? "").split(separator: ":")
    if path.contains(where: { $0 == own }) { return own }
    let program = (try? LastingPath.ofProgram()).map(ProgramLinks.folder)
    if let program, path.contains(where: { $0 == program }), access(program, W_OK) == 0 { return program }
    return own
  }

  /// Whether the first program of this name on the PATH is a link to this one.
  func isOnPath(_ link: String) -> Bool {
    ProgramLinks.found(link).map(ProgramLinks.isOwn) ?? false
  }
}
