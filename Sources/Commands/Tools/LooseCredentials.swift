import CredentialProtocols
import Glibc
import Interchange
import Keychain
import ToolCommands

/// A file of another program that contains passwords or tokens in plain text.
struct LooseCredentials {
  /// In the words of `llavero import`.
  let kind: String
  let path: String
  /// The number of passwords or tokens in it.
  let count: Int
  /// Whether `llavero import` must be told the path.
  let isElsewhere: Bool

  var problem: String {
    "\(countText(count, "password")) or \(count == 1 ? "token" : "tokens") in plain text"
  }

  /// The file is named where that kind of import would otherwise take items out of other places, too.
  var remedy: [String] {
    let importKind = ImportKind.all.first { $0.name == kind }
    let isNamed = isElsewhere || importKind?.readsMoreThanFiles ?? false
    // A program that would be logged out keeps its file.
    let isKept = importKind?.format?.variableOfProgram != nil
    return ["llavero", "import", kind] + (isNamed ? [path] : []) + (isKept ? [] : ["--remove-source"])
  }

  /// In bytes, of a file to read.
  private static let limit = 1 << 20

  /// Looks in the usual places. Opens only plain files, and asks nobody.
  ///
  /// - Parameters:
  ///   - kinds: the kinds to look for; `nil` for all.
  ///   - stores: further files of git's own plaintext store.
  static func find(kinds: [String]? = nil, stores: [String] = []) -> [LooseCredentials] {
    var found: [LooseCredentials] = []
    for format in FileFormat.all where kinds?.contains(format.name) ?? true {
      let usual = UsualPaths.existing(of: format)
      let others = format.name == FileFormat.gitCredentials.name ? stores.filter { !usual.contains($0) } : []
      var leftovers: [String] = []
      for path in UsualPaths.expanded(of: format) + others {
        guard let leftover = ImportLeftover.path(of: path), !leftovers.contains(leftover) else { continue }
        leftovers.append(leftover)
      }
      for path in usual + others + leftovers {
        let count = logins(in: path, format)
        if count > 0 {
          found.append(
            LooseCredentials(
              kind: format.name, path: path, count: count, isElsewhere: !usual.contains(path)))
        }
      }
    }
    return found
  }

  /// The number of logins in a file; 0 also if it can't be read.
  private static func logins(in path: String, _ format: FileFormat) -> Int {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit else {
      return 0
    }
    return (try? FileSource(path, format).read { _, _ in })?.logins.count ?? 0
  }
}
