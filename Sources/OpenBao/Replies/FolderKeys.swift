import Bytes
package import JSON

/// The keys that a server lists of a folder.
package struct FolderKeys: Hashable, Sendable {
  /// The most keys that are read.
  static let maximumCount = 200_000
  /// What is stored in the folder, or for a scan also below it, by its path from there.
  package private(set) var items: [String] = []
  /// The folders in it, without slashes at their ends. A scan lists none.
  package private(set) var folders: [String] = []

  /// Reads a reply with status 200 to a LIST or SCAN.
  ///
  /// - Throws: `JSONReader.Malformed` for anything else than such a reply.
  package init(_ reply: borrowing ServerReply) throws(JSONReader.Malformed) {
    var items: [String] = []
    var folders: [String] = []
    try reply.withMember("data") { (data) throws(JSONReader.Malformed) in
      try JSONReader.members(of: data) { (name, value) throws(JSONReader.Malformed) in
        guard name == "keys", value.kind != .null else { return }
        try JSONReader.elements(of: value.raw) { (key) throws(JSONReader.Malformed) in
          // Bytes that aren't UTF-8 are none of ours.
          let text = "\(try key.string())"
          if text.hasSuffix("/") { folders.append(String(text.dropLast())) } else { items.append(text) }
          if items.count + folders.count > Self.maximumCount { throw JSONReader.Malformed() }
        }
      }
    }
    self.items = items
    self.folders = folders
  }
}
