import Glibc
import Interchange
import PrivateFiles

/// The paths where programs keep the files of a format.
enum UsualPaths {
  /// All of them, without duplicates.
  static func distinct(of format: FileFormat) -> [String] {
    var places: [String] = []
    for path in expanded(of: format) {
      let real = realPath(path) ?? path
      if !places.contains(where: { (realPath($0) ?? $0) == real }) { places.append(path) }
    }
    return places
  }

  /// Those where a file exists, without duplicates.
  static func existing(of format: FileFormat) -> [String] {
    var paths: [String] = []
    for path in expanded(of: format) where access(path, F_OK) == 0 {
      let real = realPath(path)
      if !paths.contains(where: { realPath($0) == real }) { paths.append(path) }
    }
    return paths
  }

  /// All with a leading `~` or variable expanded, without those whose variable isn't set.
  static func expanded(of format: FileFormat) -> [String] {
    format.usualPaths.flatMap { path -> [String] in
      folder(path).map { files(in: $0, endingWith: String(path.split(separator: "*")[1])) } ?? named(path)
    }
  }

  /// The same for people, whether anything is there or not: of files with any name, it has the folder.
  static func places(of format: FileFormat) -> [String] {
    // A variable may have its default value.
    format.usualPaths.flatMap { path -> [String] in
      folder(path).map { [whole($0)].compactMap(\.self) } ?? named(path)
    }
    .reduce(into: []) { places, place in if !places.contains(place) { places.append(place) } }
  }

  /// The folder of files with any name; `nil` if the path is a file's.
  private static func folder(_ path: String) -> String? {
    let parts = path.split(separator: "*")
    return parts.count == 2 ? String(parts[0].dropLast()) : nil
  }

  private static func named(_ path: String) -> [String] {
    guard path.first == "$", path.last == ":" else { return whole(path).map { [$0] } ?? [] }
    // Such a variable names several files.
    return (getenv(String(path.dropFirst().dropLast())).map { String(cString: $0) } ?? "")
      .split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
  }

  /// The files in a folder at any depth, including those of which only remains of a killed import are left.
  private static func files(in folder: String, endingWith ending: String) -> [String] {
    guard let folder = whole(folder) else { return [] }
    let names = [ending, ending + ImportLeftover.ending].flatMap {
      FolderFiles.names(in: folder, endingWith: $0)
    }
    return Set(names).sorted().map { "\(folder)/\($0)\(ending)" }
  }

  /// A path with its leading `~` or variable expanded; `nil` if that isn't set.
  private static func whole(_ path: String) -> String? {
    guard path.first == "~" || path.first == "$" else { return path }
    let end = path.firstIndex(of: "/") ?? path.endIndex
    let name = path.first == "~" ? "HOME" : String(path[path.index(after: path.startIndex)..<end])
    guard let value = getenv(name).map({ String(cString: $0) }), value.hasPrefix("/") else { return nil }
    return value + path[end...]
  }
}
