import Bytes
import EncryptedFile
import JSON
import Keychain
import OpenBao

/// Copies of what was asked for, on this machine: an encrypted file with an identity of its own, in which each folder of the
/// server is a generic password whose secret has all its items. A copy is lost rather than in anybody's way: whatever can't be
/// read or written counts as none. One that is too old to answer is removed with the next change, and the file with the last
/// one.
final class CopiesFile {
  /// What was in a folder at one time.
  struct FolderCopy {
    let fetched: Timestamp
    let items: [ItemCopy]
  }

  private static let service: ByteString = "copies"
  /// For how many seconds a writer waits for others.
  private static let patience = 5

  private var file: EncryptedFileKeychain
  private let folder: String
  private let origin: ByteString
  private let maximumAge: Int

  /// - Parameters:
  ///   - folder: the folder of the files about the keychain; the copies have one of their own in it.
  ///   - origin: the place and the login that the copies are of. Those of another one, which may have had the same name
  ///     before, count as none.
  ///   - maximumAge: how old a copy may be that answers, in seconds.
  init(in folder: String, of origin: ByteString, maximumAge: Int) {
    self.folder = folder
    self.origin = origin
    self.maximumAge = maximumAge
    file = Self.file(in: folder)
  }

  private static func file(in folder: String) -> EncryptedFileKeychain {
    EncryptedFileKeychain(
      at: VaultLocation(vaultFolder: folder + "/" + StateFiles.copies, stateFolder: folder),
      respondent: { .nobody }, patience: patience)
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
      return try file.items(matching: query).first.flatMap { (item) throws(KeychainError) in
        try copy(in: item)
      }
    }
  }

  private func copy(in item: Item) throws(KeychainError) -> FolderCopy? {
    switch try file.credentialIfPresent(of: item) {
    case .none: nil
    case .some(let credential): parse(credential.secret)
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
    guard text.count <= ItemBounds.secret else { return forget(at: now) { $0 == name } }
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
      try file.delete(try forgotten(at: now) { _ in false })
    }
    // What was deleted or replaced stays in the file for a while otherwise.
    _ = try? file.compact()
  }

  /// Forgets folders, and all copies that are too old to answer or are of another place or login. If no others are left, the
  /// file is deleted.
  func forget(at now: Timestamp, _ isForgotten: (String) -> Bool = { _ in false }) {
    guard (try? file.exists()) ?? false else { return }
    var isChanged = false
    try? file.exclusively { () throws(KeychainError) in
      let gone = try forgotten(at: now, isForgotten)
      isChanged = !gone.isEmpty
      // The mark of a deletion would keep its name.
      if gone.count == (try file.items(matching: Self.all).count) { return deleteFile() }
      if isChanged { try file.delete(gone) }
    }
    if isChanged { _ = try? file.compact() }
  }

  private static let all = ItemQuery.criteria(ItemCriteria())

  private func forgotten(
    at now: Timestamp, _ isForgotten: (String) -> Bool
  ) throws(KeychainError) -> [Item] {
    var gone: [Item] = []
    for item in try file.items(matching: Self.all) {
      let name = item.key.account?.description ?? ""
      let copy = isForgotten(name) ? nil : try copy(in: item)
      if copy.map({ now.seconds - $0.fetched.seconds > maximumAge || $0.fetched > now }) ?? true {
        gone.append(item)
      }
    }
    return gone
  }

  /// Deletes the file with its identity and what was noted of it, but not its lock.
  private func deleteFile() {
    // What says that there is a file goes first, so that none is missed.
    StateFiles.empty(folder) { !$0.hasSuffix(".seen") }
    StateFiles.empty(folder + "/" + StateFiles.copies) { $0 == "lock" }
    StateFiles.empty(folder, keeping: StateFiles.ofKeychain)
    file = Self.file(in: folder)
  }

  /// The folders of which there are copies.
  var folders: [String] {
    guard (try? file.exists()) ?? false,
      let all = try? ItemQuery.genericPassword(GenericPasswordQuery(service: Self.service))
    else { return [] }
    return ((try? file.items(matching: all)) ?? []).compactMap { $0.key.account?.description }
  }
}
