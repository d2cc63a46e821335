package import Bytes

package struct FolderKeys: Equatable, Sendable {
  /// The items in the folder, or for a scan also below it, by their paths from there.
  package private(set) var items: [String] = []
  /// The subfolders that can hold items, without trailing slashes. A scan lists none.
  package private(set) var folders: [String] = []

  /// Reads a reply with status 200 to a LIST or SCAN.
  ///
  /// - Throws: `JSONReader.Malformed` for anything else.
  package init(_ reply: borrowing ServerReply) throws(JSONReader.Malformed) {
    var items: [String] = []
    var folders: [String] = []
    try reply.withMember("data") { (data) throws(JSONReader.Malformed) in
      try JSONReader.members(of: data) { (name, value) throws(JSONReader.Malformed) in
        guard name == "keys", value.kind != .null else { return }
        try JSONReader.elements(of: value.raw) { (key) throws(JSONReader.Malformed) in
          // Keys that aren't UTF-8 are none of ours.
          let text = "\(try key.string())"
          guard text.hasSuffix("/") else { return items.append(text) }
          // A component of an item's path equals its text.
          let name = String(text.dropLast())
          if PlainPath.isOne(name), !name.utf8.contains(UInt8(ascii: "/")) { folders.append(name) }
        }
      }
    }
    self.items = items
    self.folders = folders
  }
}
