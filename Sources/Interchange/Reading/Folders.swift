import Bytes

/// A source's folders, and which of them hold something.
struct Folders {
  private struct Folder {
    let name: ByteString
    /// The identifier of its parent folder; may be empty.
    let parent: ByteString
  }

  private var folders: [ByteString: Folder] = [:]
  private var used: Set<ByteString> = []

  /// Adds a folder.
  ///
  /// - Parameter parent: the identifier of its parent folder; may be empty.
  mutating func add(_ identifier: ByteString, _ name: ByteString, in parent: ByteString = "") {
    folders[identifier] = Folder(name: name, parent: parent)
  }

  init() {}

  /// Takes the folders in an array of objects.
  ///
  /// - Parameters:
  ///   - name: the member with a folder's name.
  ///   - identifier: the member with its identifier in entries.
  ///   - parent: the member with its parent folder's identifier.
  init(
    _ array: JSONValue?, _ name: StaticString, by identifier: StaticString, in parent: StaticString = ""
  ) throws(JSONReader.Malformed) {
    guard let array, array.kind == .array else { return }
    try JSONReader.elements(of: array.raw) { (folder) throws(JSONReader.Malformed) in
      add(try folder.text(identifier), try folder.text(name), in: try folder.text(parent))
    }
  }

  /// The path of a folder, which then counts as used; `nil` if it is unknown or has no name.
  mutating func use(_ identifier: ByteString) -> ByteString? {
    guard let folder = folders[identifier], !folder.name.isEmpty else { return nil }
    used.insert(identifier)
    var path = folder.name
    var (parent, depth) = (folder.parent, 0)
    while let above = folders[parent], depth < folders.count {
      used.insert(parent)
      if !above.name.isEmpty { path = above.name.joined(path) }
      (parent, depth) = (above.parent, depth + 1)
    }
    // One that is its own ancestor keeps just its name.
    return depth < folders.count ? path : folder.name
  }

  /// Whether the name of any folder is in no requested path.
  fileprivate var hasUnused: Bool { folders.contains { !$0.value.name.isEmpty && !used.contains($0.key) } }
}

extension ByteString {
  func joined(_ name: ByteString) -> ByteString { ByteString(bytes + [UInt8(ascii: "/")] + name.bytes) }
}

extension SourceEntry {
  /// Takes the identifiers of folders, and returns their paths. An unknown one stays.
  mutating func folders(
    _ wanted: ByteString, among folders: inout Folders
  ) throws(JSONReader.Malformed) -> [ByteString] {
    var paths: [ByteString] = []
    let parts = try openElements(wanted)
    let indices = parts.isEmpty ? [index(of: [wanted])] : parts.map(\.indices.first)
    for index in indices {
      guard let identifier = peek(at: index)?.text, let path = folders.use(identifier) else { continue }
      _ = take(at: index)
      paths.append(path)
    }
    return paths
  }
}

extension FoundLogins {
  /// Notes that the source has something else if a person's folder is empty. Once all logins were removed, all folders
  /// are.
  mutating func noteOthers(ifUnused folders: Folders) {
    if folders.hasUnused, !logins.isEmpty { noteOthers() }
  }
}
