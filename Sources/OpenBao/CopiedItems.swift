package import Bytes
package import Keychain

extension StoredItem {
  package func credential() -> Credential { record.credential.copy() }

  /// Whether the secret is one of the item's former tokens.
  package func hasReplaced(_ secret: borrowing Secret) -> Bool { record.hasReplaced(secret) }

  /// Writes it as an object in an array.
  package func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("path", ByteString(path.text))
    json.member("version", version)
    json.member("date", record.item.modificationDate)
    let record = record.encoded(inVersion: version)
    record.withUnsafeBytes { json.rawMember(name: ("data" as StaticString).bytes, value: $0) }
    json.endObject()
  }

  /// Reads JSON from ``write(to:)``.
  package convenience init(parsing object: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var path: ItemPath?
    var version = 0
    var date: Timestamp?
    var data: UnsafeRawBufferPointer?
    try JSONReader.members(of: object) { (name, value) throws(JSONReader.Malformed) in
      if name == "path" { path = ItemPath(parsing: "\(try value.string())") }
      if name == "version" { version = try value.integer() }
      if name == "date" { date = try value.timestamp() }
      if name == "data" { data = value.raw }
    }
    guard let path, let data else { throw JSONReader.Malformed() }
    let record = try ItemRecord(parsing: data, at: path, inVersion: version, writtenAt: date)
    self.init(record, at: path, version: version)
  }
}

extension OpenBaoKeychain {
  /// Copies of all items in a folder; `nil` if this login may not list it, or not read all items in it.
  package func copies(below folder: String) throws(KeychainError) -> [StoredItem]? {
    try reading { () throws(KeychainError) -> [StoredItem]? in
      guard let paths = try paths(below: folder) else { return nil }
      return try copies(of: paths)
    }
  }

  /// Copies of the items whose paths have this beginning, by folder. Nothing else is read. Leaves out a folder that
  /// only partly has this beginning, or that this login may not read as a whole.
  package func copies(beginningWith beginning: String) throws(KeychainError) -> [String: [StoredItem]] {
    let folder = beginning.lastIndex(of: "/").map { String(beginning[..<$0]) } ?? ""
    return try reading { () throws(KeychainError) -> [String: [StoredItem]] in
      guard let paths = try paths(below: folder, beginningWith: beginning) else { return [:] }
      var whole: [String: [ItemPath]] = [:]
      for path in paths {
        let name = SearchFolders.folders(of: path).first { ($0 + "/").hasPrefix(beginning) }
        if let name { whole[name, default: []].append(path) }
      }
      var copies: [String: [StoredItem]] = [:]
      for (name, paths) in whole { copies[name] = try self.copies(of: paths) }
      return copies
    }
  }

  /// Copies of items; `nil` if one of them may not be read.
  private func copies(of paths: [ItemPath]) throws(KeychainError) -> [StoredItem]? {
    var copies: [StoredItem] = []
    for path in paths {
      switch try stored(path) {
      case .item(let stored): copies.append(stored)
      // A copy couldn't show that there is something.
      case .forbidden: return nil
      case .absent, .moved, .foreign: break
      }
    }
    return copies
  }
}
