import Bytes

/// The folders of a source, as entries call them, and which of them hold something.
struct Folders {
  private struct Folder {
    let name: ByteString
    /// The identifier of the folder that it is in; empty if there is none.
    let parent: ByteString
  }

  private var folders: [ByteString: Folder] = [:]
  private var used: Set<ByteString> = []

  /// Adds a folder.
  ///
  /// - Parameter parent: the identifier of the folder that it is in; empty if there is none.
  mutating func add(_ identifier: ByteString, _ name: ByteString, in parent: ByteString = "") {
    folders[identifier] = Folder(name: name, parent: parent)
  }

  /// Adds the folders in an array of objects.
  ///
  /// - Parameters:
  ///   - name: the member with a folder's name.
  ///   - identifier: the member with what entries call it.
  ///   - parent: the member that says which folder it is in.
  mutating func add(
    allIn array: JSONValue, _ name: StaticString, by identifier: StaticString, in parent: StaticString = ""
  ) throws(JSONReader.Malformed) {
    if array.kind != .array { return }
    try JSONReader.elements(of: array.raw) { (folder) throws(JSONReader.Malformed) in
      add(try folder.text(identifier), try folder.text(name), in: try folder.text(parent))
    }
  }

  /// The path of a folder, which holds something thereby; `nil` if it has no name, or isn't known.
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
    // One that is in itself has its own name.
    return depth < folders.count ? path : folder.name
  }

  /// Whether the name of one is in no path that was asked for.
  fileprivate var hasUnused: Bool { folders.contains { !$0.value.name.isEmpty && !used.contains($0.key) } }
}

extension ByteString {
  /// The path of a folder that is in this one.
  func joined(_ name: ByteString) -> ByteString { ByteString(bytes + [UInt8(ascii: "/")] + name.bytes) }
}

extension SourceEntry {
  /// Takes the identifiers of folders, and returns their paths. One that is unknown stays.
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
  /// Notes that the source has something else if a person has made a folder in which nothing is. Once all logins were taken
  /// out, nothing is in any.
  mutating func noteOthers(ifUnused folders: Folders) {
    if folders.hasUnused, !logins.isEmpty { noteOthers() }
  }
}
