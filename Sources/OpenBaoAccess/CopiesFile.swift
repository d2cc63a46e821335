import Bytes
import EncryptedFile
import JSON
import Keychain
import OpenBao

/// Copies of what was asked for, on this machine: an encrypted file with an identity of its own, in which each folder of the
/// server is a generic password whose secret has all its items. A copy is lost rather than in anybody's way: whatever can't be
/// read or written counts as none.
final class CopiesFile {
  /// What was in a folder at one time.
  struct FolderCopy {
    let fetched: Timestamp
    let items: [ItemCopy]
  }

  private static let service: ByteString = "copies"
  /// For how many seconds a writer waits for others.
  private static let patience = 5

  private let file: EncryptedFileKeychain
  private let origin: ByteString

  /// - Parameters:
  ///   - folder: the folder of the file and its identity.
  ///   - origin: the place and the login that the copies are of. Those of another one, which may have had the same name
  ///     before, count as none.
  init(in folder: String, of origin: ByteString) {
    self.origin = origin
    file = EncryptedFileKeychain(
      at: VaultLocation(vaultFolder: folder + "/copies", stateFolder: folder), respondent: { .nobody },
      patience: Self.patience)
  }

  /// The copy of a folder, or the part of its parent's; `nil` if there is none.
  func folder(_ name: String) -> FolderCopy? {
    for candidate in [name, Self.parent(of: name)].compactMap({ $0 }) {
      guard let copy = exactly(candidate) else { continue }
      if candidate == name { return copy }
      return FolderCopy(
        fetched: copy.fetched, items: copy.items.filter { $0.path.text.hasPrefix(name + "/") })
    }
    return nil
  }

  private static func parent(of name: String) -> String? {
    name.lastIndex(of: "/").map { String(name[..<$0]) }
  }

  private func exactly(_ name: String) -> FolderCopy? {
    try? file.reading { () throws(KeychainError) -> FolderCopy? in
      let query = ItemQuery.genericPassword(
        try GenericPasswordQuery(service: Self.service, account: ByteString(name)))
      guard let item = try file.items(matching: query).first,
        let credential = try file.credentialIfPresent(of: item)
      else { return nil }
      return parse(credential.secret)
    }
  }

  private func parse(_ text: borrowing Secret) -> FolderCopy? {
    var isOfThis = false
    var fetched: Int64?
    var items: [ItemCopy] = []
    do throws(JSONReader.Malformed) {
      try text.withUnsafeBytes { (text) throws(JSONReader.Malformed) in
        try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
          if name == "origin" { isOfThis = try value.string() == origin }
          if name == "fetched" { fetched = try value.integer() }
          if name == "items" {
            try JSONReader.elements(of: value.raw) { (item) throws(JSONReader.Malformed) in
              items.append(try ItemCopy(parsing: item.raw))
            }
          }
        }
      }
    } catch {
      return nil
    }
    guard isOfThis else { return nil }
    return fetched.map { FolderCopy(fetched: Timestamp(milliseconds: $0), items: items) }
  }

  /// Keeps what is in a folder now. More than fits is not kept.
  func keep(_ items: [ItemCopy], of name: String, at now: Timestamp) {
    var json = JSONWriter(capacity: 4096)
    json.beginObject()
    json.member("origin", origin)
    json.member("fetched", now.milliseconds)
    json.beginArray("items")
    for item in items { item.write(to: &json) }
    json.endArray()
    json.endObject()
    let text = json.finish()
    guard text.count <= ItemBounds.secret else { return forget { $0 == name } }
    let credential = Credential(text.copy())
    try? file.exclusively { () throws(KeychainError) in
      let query = ItemQuery.genericPassword(
        try GenericPasswordQuery(service: Self.service, account: ByteString(name)))
      if let former = try file.items(matching: query).first {
        try file.update(former, credential)
      } else {
        try file.add(
          Item(GenericPassword(service: Self.service, account: ByteString(name))), credential)
      }
    }
    // What was deleted or replaced stays in the file for a while otherwise.
    _ = try? file.compact()
  }

  /// Forgets folders.
  func forget(_ isForgotten: (String) -> Bool) {
    guard (try? file.exists()) ?? false else { return }
    try? file.exclusively { () throws(KeychainError) in
      let all = ItemQuery.genericPassword(try GenericPasswordQuery(service: Self.service))
      let items = try file.items(matching: all).filter { isForgotten($0.key.account?.description ?? "") }
      if !items.isEmpty { try file.delete(items) }
    }
    _ = try? file.compact()
  }

  /// The folders of which there are copies.
  var folders: [String] {
    guard (try? file.exists()) ?? false,
      let all = try? ItemQuery.genericPassword(GenericPasswordQuery(service: Self.service))
    else { return [] }
    return ((try? file.items(matching: all)) ?? []).compactMap { $0.key.account?.description }
  }
}
