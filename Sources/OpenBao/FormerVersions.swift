import Bytes
package import Keychain

/// A deleted item or a replaced secret, in a version that the server still has.
package struct FormerVersion: Equatable, Sendable {
  /// The item. For a deleted one, only the primary key is known before it is restored.
  package let item: Item
  package let retired: Timestamp
  package let isDeleted: Bool
  let path: ItemPath
  let version: Int
}

package protocol VersionedKeychain: KeychainStore {
  /// Deleted items and replaced secrets, as long as the server has the versions, the latest first. A query for
  /// everything finds only deleted items: for the rest, all versions of all items would have to be read.
  func formerVersions(matching query: ItemQuery) throws(KeychainError) -> [FormerVersion]

  /// Restores a version, and returns the item.
  ///
  /// - Parameter replacing: whether to replace the secret of an existing item.
  /// - Throws: ``KeychainError/duplicateItem`` if there is an item that must not be replaced;
  ///   ``KeychainError/itemNotFound`` if the server no longer has the version.
  func bringBack(_ former: FormerVersion, replacing: Bool) throws(KeychainError) -> Item
}

extension OpenBaoKeychain: VersionedKeychain {
  /// How many former versions of an item are read. A server keeps ten by default.
  private static let maximumVersions = 20

  package func formerVersions(matching query: ItemQuery) throws(KeychainError) -> [FormerVersion] {
    if query.isForLogin { return [] }
    let search = SearchFolders(query)
    return try reading { () throws(KeychainError) in
      try answering(search) { () throws(KeychainError) in try formerVersions(matching: query, in: search) }
    }
  }

  private func formerVersions(
    matching query: ItemQuery, in search: SearchFolders
  ) throws(KeychainError) -> [FormerVersion] {
    let (paths, unlisted) = try paths(for: search)
    var forbidden = unlisted.map { store.forbidden("metadata", $0) }
    var found: [FormerVersion] = []
    for path in paths where query.mayMatch(path.key) {
      found += try formerVersions(at: path, deletedOnly: !search.isNamed, &forbidden)
    }
    if found.isEmpty, search.isNamed || unlisted != nil, let forbidden { throw forbidden }
    if unlisted != nil, !search.isNamed { onPartialList() }
    return found.sorted { $0.retired > $1.retired }
  }

  private func formerVersions(
    at path: ItemPath, deletedOnly: Bool, _ forbidden: inout KeychainError?
  ) throws(KeychainError) -> [FormerVersion] {
    guard let present = try store.read(path, version: nil) else {
      forbidden = forbidden ?? store.forbidden("data", path.text)
      return []
    }
    guard let last = present.version else { return [] }
    var found: [FormerVersion] = []
    if let deleted = last.deleted, !last.isDestroyed {
      found.append(
        FormerVersion(
          item: Item(path.key), retired: deleted, isDeleted: true, path: path, version: last.number))
    }
    if deletedOnly { return found }
    var retired = last.created
    // Of successive versions with the same secret, the last one counts.
    var newer: Secret?
    if case .record(let record, _) = present { newer = record.credential.secret.copy() }
    for number in stride(from: last.number - 1, through: max(1, last.number - Self.maximumVersions), by: -1) {
      guard let former = try store.read(path, version: number), let version = former.version else {
        return found
      }
      let date = retired ?? version.created ?? Timestamp(milliseconds: 0)
      retired = version.created
      guard case .record(let record, _) = former else {
        newer = nil
        continue
      }
      if newer.lend({ record.credential.secret.isEqual(to: $0) }) ?? false { continue }
      newer = record.credential.secret.copy()
      found.append(
        FormerVersion(item: record.item, retired: date, isDeleted: false, path: path, version: number))
    }
    return found
  }

  package func bringBack(_ former: FormerVersion, replacing: Bool) throws(KeychainError) -> Item {
    let present = try store.read(former.path)
    let version: Int
    var replaced: StoredItem?
    switch present {
    case .item(let item):
      guard replacing else { throw .duplicateItem }
      version = item.version
      replaced = item
    case .absent(former.version) where former.isDeleted:
      try store.undelete(former.version, of: former.path)
      guard let item = try store.read(former.path).item else { throw .itemNotFound }
      return item.item
    case .absent(let newest): version = newest
    case .moved: throw .itemNotFound
    case .foreign: throw store.error(.foreignItem(path: former.path.text))
    case .forbidden: throw store.forbidden("data", former.path.text)
    }
    guard case .record(var record, _)? = try store.read(former.path, version: former.version) else {
      throw .itemNotFound
    }
    // The new version's date is the date of the change.
    record.modified = nil
    if let replaced, replaced.record.credential.hasRefreshToken {
      // Using a refresh token a second time would end the login for everyone.
      record.credential.refreshToken = replaced.record.credential.copyOfRefreshToken()
      let others = record.others.copy()
      record.takeRest(of: replaced.record)
      record.others = others
    }
    record.beginWrite()
    let stored = StoredItem(record, at: former.path, version: version)
    guard case .version(let written) = try store.write(stored, over: version) else {
      throw store.error(.changed(path: former.path.text))
    }
    var item = stored.item
    item.modificationDate = written.created ?? item.modificationDate
    return item
  }
}
