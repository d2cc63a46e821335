import Bytes

/// The paths that a login may list and read, as far as its policies name them. A server leaves out paths with a `+`.
struct AllowedPaths {
  /// The folders that may be listed, perhaps.
  private(set) var folders: [String] = []
  /// The paths of items that may be read, whether or not they exist.
  private(set) var items: [String] = []

  init() {}

  /// Reads a reply with status 200 of `sys/internal/ui/resultant-acl`.
  ///
  /// - Parameters:
  ///   - metadata: the paths that the keychain's folders may have in it.
  ///   - data: the paths of its items.
  /// - Throws: `JSONReader.Malformed` for anything else.
  init(
    _ reply: borrowing ServerReply, metadata: [String], data: [String]
  ) throws(JSONReader.Malformed) {
    var (folders, items): ([String], [String]) = ([], [])
    try reply.withMember("data") { (allowed) throws(JSONReader.Malformed) in
      try JSONReader.members(of: allowed) { (kind, paths) throws(JSONReader.Malformed) in
        let isGlob = kind == "glob_paths"
        guard isGlob || kind == "exact_paths", paths.kind == .object else { return }
        try JSONReader.members(of: paths.raw) { (name, value) throws(JSONReader.Malformed) in
          let path = "\(try JSONValue.name(name))"
          let can = try Self.capabilities(value.raw)
          if can.lists, let folder = Self.rest(of: path, below: metadata) {
            folders.append(folder.hasSuffix("/") ? String(folder.dropLast()) : folder)
          }
          if can.reads, let item = Self.rest(of: path, below: data) {
            items.append(isGlob ? Self.shortest(beginningWith: item) : item)
          }
        }
      }
    }
    self.folders = folders
    self.items = items
  }

  private static func capabilities(
    _ value: UnsafeRawBufferPointer
  ) throws(JSONReader.Malformed) -> (lists: Bool, reads: Bool) {
    var can = (lists: false, reads: false)
    try JSONReader.members(of: value) { (name, value) throws(JSONReader.Malformed) in
      guard name == "capabilities" else { return }
      try JSONReader.elements(of: value.raw) { (word) throws(JSONReader.Malformed) in
        let word = try word.string()
        if word == "list" || word == "scan" { can.lists = true }
        if word == "read" { can.reads = true }
      }
    }
    return can
  }

  private static func rest(of path: String, below places: [String]) -> String? {
    for place in places where path.hasPrefix(place + "/") {
      let rest = path.dropFirst(place.utf8.count + 1)
      return rest.isEmpty ? nil : String(rest)
    }
    return nil
  }

  /// The item of an account that has neither a path nor an authentication type.
  private static func shortest(beginningWith folder: String) -> String {
    guard folder.hasSuffix("/") else { return folder }
    return switch folder.utf8.count(where: { $0 == UInt8(ascii: "/") }) {
    case 5: folder + "-/-"
    case 6: folder + "-"
    default: folder
    }
  }
}
