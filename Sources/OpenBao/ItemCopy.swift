package import Bytes
package import Keychain

package final class ItemCopy {
  package let path: ItemPath
  let stored: StoredItem

  init(_ stored: StoredItem) {
    path = stored.path
    self.stored = stored
  }

  package var item: Item { stored.item }

  package func credential() -> Credential { stored.record.credential.copy() }

  /// Whether the secret is one of the item's former tokens.
  package func hasReplaced(_ secret: borrowing Secret) -> Bool { stored.record.hasReplaced(secret) }

  /// Writes it as an object in an array.
  package func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("path", ByteString(path.text))
    json.member("version", stored.version)
    json.member("date", stored.record.item.modificationDate)
    let record = stored.record.encoded(inVersion: stored.version)
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
    self.init(StoredItem(record, at: path, version: version))
  }
}

extension OpenBaoKeychain {
  /// Copies of all items in a folder; `nil` if this login may not list it, or not read all items in it.
  package func copies(below folder: String) throws(KeychainError) -> [ItemCopy]? {
    try reading { () throws(KeychainError) -> [ItemCopy]? in
      guard let paths = try paths(below: folder) else { return nil }
      return try copies(of: paths)
    }
  }

  /// Copies of the items whose paths have this beginning, by folder. Nothing else is read. Leaves out a folder that
  /// only partly has this beginning, or that this login may not read as a whole.
  package func copies(beginningWith beginning: String) throws(KeychainError) -> [String: [ItemCopy]] {
    let folder = beginning.lastIndex(of: "/").map { String(beginning[..<$0]) } ?? ""
    return try reading { () throws(KeychainError) -> [String: [ItemCopy]] in
      guard let paths = try paths(below: folder, beginningWith: beginning) else { return [:] }
      var whole: [String: [ItemPath]] = [:]
      for path in paths {
        let name = SearchFolders.folders(of: path).first { ($0 + "/").hasPrefix(beginning) }
        if let name { whole[name, default: []].append(path) }
      }
      var copies: [String: [ItemCopy]] = [:]
      for (name, paths) in whole { copies[name] = try self.copies(of: paths) }
      return copies
    }
  }

  /// Copies of items; `nil` if one of them may not be read.
  private func copies(of paths: [ItemPath]) throws(KeychainError) -> [ItemCopy]? {
    var copies: [ItemCopy] = []
    for path in paths {
      switch try stored(path) {
      case .item(let stored): copies.append(ItemCopy(stored))
      // A copy couldn't show that there is something.
      case .forbidden: return nil
      case .absent, .moved, .foreign: break
      }
    }
    return copies
  }
}
