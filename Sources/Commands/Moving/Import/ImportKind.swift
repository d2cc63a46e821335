import Interchange
import Keychain
import ToolCommands

struct ImportKind {
  let name: String
  let summary: String
  private(set) var format: FileFormat?
  var desktopItems: DesktopItems?
  /// The other sources of this kind, used if no file is named.
  private var otherSources: (@Sendable (PathChoice?) throws(KeychainError) -> [any ImportSource])?

  /// Whether this is a vault, or an export, of llavero itself.
  var isLlaveros: Bool { name == "llavero" }

  /// Whether this is a table of no known program.
  var isTable: Bool { name == "csv" }

  var hasOthers: Bool { otherSources != nil }

  /// Whether it also reads the Secret Service, or another program's store, if no file is named.
  var readsMoreThanFiles: Bool { desktopItems != nil || hasOthers }

  /// Whether it reads files or the Secret Service, not only another program's store.
  var readsPlaces: Bool { format != nil || desktopItems != nil }

  /// The sources besides a file and the Secret Service.
  func others(paths: PathChoice?) throws(KeychainError) -> [any ImportSource] {
    try otherSources?(paths) ?? []
  }

  /// Each format of files, with what is read besides: in the order in which the help lists them.
  static let all = FileFormat.all.flatMap(kinds)

  private static func kinds(of format: FileFormat) -> [ImportKind] {
    switch format.name {
    case "git-config", "keyring": []  // Beside others of git and Python.
    case "netrc":
      [
        ImportKind(format),
        ImportKind(
          name: "git-libsecret", summary: "logins of git's helper 'libsecret' in the Secret Service",
          desktopItems: .gitLibsecret),
      ]
    case "gcm":
      [
        ImportKind(
          format, desktopItems: .gcm,
          others: { (paths) throws(KeychainError) in try PassStore.present(.gcm, paths: paths) }),
        ImportKind(.gitConfiguration),
      ]
    case "docker": [ImportKind(format, desktopItems: .docker)]
    case "gh": [ImportKind(format, desktopItems: .gh)]
    case "cargo": [ImportKind(format, desktopItems: .cargo)]
    case "uv": [ImportKind(format), ImportKind(.keyring, desktopItems: .keyring)]
    case "vault":
      [
        ImportKind(format),
        ImportKind(
          name: "pass", summary: "the store of pass, entry by entry through that program",
          others: { (paths) throws(KeychainError) in try PassStore.present(.pass, paths: paths) }),
        ImportKind(
          name: "gopass", summary: "the stores of gopass, in the same way",
          others: { (paths) throws(KeychainError) in try PassStore.present(.gopass, paths: paths) }),
      ]
    case "llavero":
      [
        ImportKind(name: "csv", summary: "any other table; name its columns with --columns"),
        ImportKind(name: "llavero", summary: "a vault of llavero, or an export of one"),
      ]
    default: [ImportKind(format)]
    }
  }

  init(
    _ format: FileFormat, desktopItems: DesktopItems? = nil,
    others: (@Sendable (PathChoice?) throws(KeychainError) -> [any ImportSource])? = nil
  ) {
    self.init(
      name: format.name, summary: format.summary, format: format, desktopItems: desktopItems, others: others)
  }

  init(
    name: String, summary: String, format: FileFormat? = nil, desktopItems: DesktopItems? = nil,
    others: (@Sendable (PathChoice?) throws(KeychainError) -> [any ImportSource])? = nil
  ) {
    self.name = name
    self.summary = summary
    self.format = format
    self.desktopItems = desktopItems
    otherSources = others
  }

  func with(_ format: FileFormat) -> ImportKind {
    var kind = self
    kind.format = format
    return kind
  }

  static func isName(_ name: String) -> Bool { all.contains { $0.hasName(name) } }

  private func hasName(_ name: String) -> Bool {
    self.name == name || format?.otherNames.contains(name) ?? false
  }

  /// - Throws: ``KeychainError`` if there is no such kind.
  static func named(_ name: String) throws(KeychainError) -> ImportKind {
    if let kind = all.first(where: { $0.hasName(name) }) { return kind }
    let kinds = KnownTool.named(name)?.imports ?? []
    let meant =
      meant(by: name)
      ?? (kinds.isEmpty ? all.map(\.name).closest(to: name) : kinds.count == 1 ? kinds[0] : nil)
    let hint: Hint =
      if kinds.count > 1 {
        "for \(prose: name) there are \(prose: kinds.joined(separator: ", "))"
      } else if meant == nil,
        let recipe = ToolRecipe.named(name)
      {
        "\(command: "llavero", "help", recipe.name) shows what to type"
      } else {
        "\(command: "llavero", "import", "--help") lists the kinds"
      }
    throw .failure(
      "nothing of the kind '\(name)' can be imported" + (meant.map { "; did you mean '\($0)'?" } ?? ""),
      hint: hint, status: .usage)
  }
}
