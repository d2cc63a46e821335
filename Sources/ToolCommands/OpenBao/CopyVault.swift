import Bytes
import EncryptedFile
import Glibc
import Keychain
import OpenBao
import PrivateFiles

/// Copies on this machine of everything that was asked for: a vault of this machine's own, with a generic password for
/// each folder of the server. The folder is its service, the copies' place and login are its account, its date is that
/// of the request, and the items are its secret.
///
/// Copies may get lost, but never get in the way: any that can't be read or written counts as none, and nobody waits
/// until one is on the disk, but for the key that is made with the first.
final class CopyVault {
  /// The contents of a folder at one time.
  struct FolderCopy {
    let fetched: Timestamp
    let items: [StoredItem]
  }

  /// How long to wait for others who change copies, in seconds.
  private static let patience = 5

  private let place: String
  private let origin: ByteString
  private let maximumAge: Int
  private let vault: EncryptedFileKeychain

  /// - Parameters:
  ///   - folder: the folder of the files about the keychain; the vault has its own in it.
  ///   - origin: the place and the login of the copies. Those of another one, which may have had the same name before,
  ///     count as none.
  ///   - maximumAge: how old a copy that answers may be, in seconds.
  init(in folder: String, of origin: ByteString, maximumAge: Int) {
    place = folder
    self.origin = origin
    self.maximumAge = maximumAge
    let location = VaultLocation(vaultFolder: folder + "/" + StateFiles.copies, stateFolder: folder)
    vault = EncryptedFileKeychain(at: location, patience: Self.patience)
    vault.isOfCopies = true
  }

  // MARK: Reading

  /// From the folder's own copy or its parent's, whichever is newer; `nil` if there is none.
  func folder(_ name: String) -> FolderCopy? {
    try? vault.reading { () throws(KeychainError) -> FolderCopy? in
      let own = try copy(of: name)
      guard let end = name.lastIndex(of: "/"), let outer = try copy(of: String(name[..<end])),
        own.map({ outer.fetched > $0.fetched }) ?? true
      else { return own }
      return FolderCopy(
        fetched: outer.fetched, items: outer.items.filter { $0.path.text.hasPrefix(name + "/") })
    }
  }

  private func copy(of folder: String) throws(KeychainError) -> FolderCopy? {
    guard let answer = try vault.answer(to: key(folder)), let fetched = answer.item.modificationDate else {
      return nil
    }
    return Self.items(in: answer.credential.secret).map { FolderCopy(fetched: fetched, items: $0) }
  }

  private static func items(in text: borrowing Secret) -> [StoredItem]? {
    var items: [StoredItem] = []
    do throws(JSONReader.Malformed) {
      try text.withUnsafeBytes { (text) throws(JSONReader.Malformed) in
        try JSONReader.elements(of: text) { (item) throws(JSONReader.Malformed) in
          items.append(try StoredItem(parsing: item.raw))
        }
      }
    } catch {
      return nil
    }
    return items
  }

  private func key(_ folder: String) -> Item.Key {
    .genericPassword(GenericPassword(service: ByteString(folder), account: origin))
  }

  private static func folder(of copy: Item) -> String { copy.key[.service]?.description ?? "" }

  /// The names of the folders with copies.
  var names: [String] {
    let copies = (try? vault.items(matching: .all)) ?? []
    return copies.filter { $0.key.account == origin }.map(Self.folder)
  }

  var isEmpty: Bool { !FileStatus.isThere(vault.location.vaultFile) }

  // MARK: Changing

  /// Whether one folder is the other, or above or below it, so that news of one affects the other.
  static func areRelated(_ one: String, _ other: String) -> Bool {
    one == other || one.hasPrefix(other + "/") || other.hasPrefix(one + "/")
  }

  /// Keeps folders' contents, unless they may be outdated, and removes all copies that are too old to answer, or of
  /// another place or login.
  ///
  /// - Parameters:
  ///   - now: when they were requested.
  ///   - isOwn: returns whether the copies still belong to the login that asked, so that nobody else gets these.
  func keep(_ folders: [(name: String, items: [StoredItem])], at now: Timestamp, if isOwn: () -> Bool) {
    change(isForgetting: false) { () throws(KeychainError) in
      // Anything changed or read after the request is newer.
      if isChanged(since: now) || !isOwn() { return }
      let copies = try vault.items(matching: .all)
      try vault.delete(copies.filter { !isCurrent($0, at: now) && !isNewer($0, than: now) })
      for (name, items) in folders {
        let former = copies.first { $0.key == key(name) }
        if let former, isNewer(former, than: now) { continue }
        try vault.delete(former.map { [$0] } ?? [])
        try add(items, of: name, at: now)
      }
    }
  }

  /// Adds a copy, unless it is too large for a secret.
  private func add(_ items: [StoredItem], of folder: String, at now: Timestamp) throws(KeychainError) {
    var json = JSONWriter(capacity: 4096)
    json.beginArray()
    for item in items { item.write(to: &json) }
    json.endArray()
    let text = json.finish()
    if text.count > ItemBounds.secret { return }
    var copy = Item(key(folder))
    copy.modificationDate = now
    try vault.add(keepingDatesOf: copy, Credential(text))
  }

  private func isCurrent(_ copy: Item, at now: Timestamp) -> Bool {
    guard copy.key.account == origin, let date = copy.modificationDate else { return false }
    return date <= now && now.seconds - date.seconds <= maximumAge
  }

  /// Whether another process has asked for it after this one, and was answered before.
  private func isNewer(_ copy: Item, than now: Timestamp) -> Bool {
    guard copy.key.account == origin, let date = copy.modificationDate else { return false }
    return date > now && date <= .now
  }

  /// Changes the vault. If that fails, no copy stays: it may be outdated.
  ///
  /// - Parameter isForgetting: whether the change can't be left out while others change the copies.
  private func change(isForgetting: Bool, _ body: () throws(KeychainError) -> Void) {
    do throws(KeychainError) {
      try vault.exclusively(body)
    } catch .busy {
      if isForgetting { clear() }
    } catch {
      locked(clear)
    }
  }

  /// Whether something has changed since then, or may have.
  private func isChanged(since date: Timestamp) -> Bool {
    guard let changed = FileStatus.modificationDate(of: place + "/" + StateFiles.changed) else {
      return false
    }
    // The clock may have been set back.
    return changed >= date && changed <= .now
  }

  /// Notes that reads in progress don't count.
  private func noteChange() {
    guard let folder = try? Folder(opening: place) else { return }
    try? [UInt8]().lendingBytes { (bytes) throws(KeychainError) in
      try folder.replaceForNow(StateFiles.changed, with: bytes)
    }
    // The kernel's date may be some milliseconds behind.
    let now = Timestamp.now.milliseconds
    let time = timespec(tv_sec: Int(now / 1000), tv_nsec: Int(now % 1000) * 1_000_000)
    utimensat(folder.descriptor, StateFiles.changed, [time, time], AT_SYMLINK_NOFOLLOW)
  }

  /// Forgets all copies that are too old to answer, or of another place or login, and these folders. With the last one
  /// goes the key.
  func forget(at now: Timestamp, where isForgotten: ((String) -> Bool)? = nil) {
    // The first one may just be being made.
    if isForgotten == nil ? isEmpty : !FileStatus.isThere(place) { return }
    if isForgotten != nil { noteChange() }
    change(isForgetting: true) { () throws(KeychainError) in
      let copies = try vault.items(matching: .all)
      try vault.delete(
        copies.filter { !isCurrent($0, at: now) || isForgotten?(Self.folder(of: $0)) ?? false })
    }
  }

  /// Forgets all copies, and the reads in progress.
  func forgetAll() {
    if !FileStatus.isThere(place) { return }
    noteChange()
    locked(clear)
  }

  /// Forgets all copies, because the reads in progress are for somebody else. Needs the lock.
  func clear() { vault.discard() }

  /// Runs the body under the lock for changing copies. If that isn't free in time, runs it anyway.
  func locked(_ body: () -> Void) {
    do throws(KeychainError) {
      try vault.whileLocked(body)
    } catch {
      body()
    }
  }
}
