import Age
import Bytes
import EncryptedFile
import Glibc
import Keychain
import OpenBao
import PrivateFiles

/// Copies on this machine of everything that was asked for: an age file for each folder of the server, encrypted to an
/// identity beside them.
///
/// A file's name reveals nothing. It is made of authentication codes of the login, to tell apart those of other
/// logins, and of the folder. Copies may get lost, but never get in the way: any that can't be read or written counts
/// as none, and nobody waits until one is on the disk.
final class CopyFiles {
  /// The contents of a folder at one time.
  struct FolderCopy {
    let fetched: Timestamp
    let items: [ItemCopy]
  }

  /// In bytes. A larger copy is not kept.
  private static let limit = 1 << 20
  /// The most that encryption adds, in bytes.
  private static let overhead = 4096

  /// How long to wait for others who change copies, in seconds.
  static let patience = 5
  /// How long a file may take to be written, in seconds.
  private static let writingTime: Int64 = 3600

  private let place: String
  private let origin: ByteString
  private let maximumAge: Int
  private var identity: X25519Identity?

  /// - Parameters:
  ///   - folder: the folder of the files about the keychain; the copies have their own in it.
  ///   - origin: the place and the login of the copies. Those of another one, which may have had the same name before,
  ///     count as none.
  ///   - maximumAge: how old a copy that answers may be, in seconds.
  init(in folder: String, of origin: ByteString, maximumAge: Int) {
    place = folder
    self.origin = origin
    self.maximumAge = maximumAge
  }

  private var path: String { place + "/" + StateFiles.copies }

  // MARK: Reading

  /// From the folder's own copy or its parent's; `nil` if there is none.
  func folder(_ name: String) -> FolderCopy? {
    guard let identity = knownIdentity() else { return nil }
    // The newer one counts, or the other one if that can't be read.
    var candidates = [name]
    if let parent = Self.parent(of: name), let date = date(of: parent, identity) {
      let isNewer = self.date(of: name, identity).map { date > $0 } ?? true
      candidates.insert(parent, at: isNewer ? 0 : 1)
    }
    for candidate in candidates {
      guard let copy = exactly(candidate, identity) else { continue }
      if candidate == name { return copy }
      return FolderCopy(
        fetched: copy.fetched, items: copy.items.filter { $0.path.text.hasPrefix(name + "/") })
    }
    return nil
  }

  /// The names of the folders with copies.
  var names: [String] {
    guard let identity = knownIdentity(), let folder = try? Folder(opening: path),
      let files = try? folder.names()
    else { return [] }
    let login = login(identity) + "-"
    return files.compactMap { $0.hasPrefix(login) ? read($0, in: folder, identity)?.name : nil }
  }

  private func date(of folder: String, _ identity: X25519Identity) -> Timestamp? {
    FileStatus.modificationDate(of: path + "/" + fileName(of: folder, identity))
  }

  private static func parent(of name: String) -> String? {
    name.lastIndex(of: "/").map { String(name[..<$0]) }
  }

  private func exactly(_ name: String, _ identity: X25519Identity) -> FolderCopy? {
    guard let folder = try? Folder(opening: path),
      let found = read(fileName(of: name, identity), in: folder, identity), found.name == name
    else { return nil }
    return found.copy
  }

  private func read(
    _ file: String, in folder: borrowing Folder, _ identity: X25519Identity
  ) -> (name: String, copy: FolderCopy)? {
    guard let file = try? folder.file(file),
      let contents = try? file.contents(limit: Self.limit + Self.overhead)
    else { return nil }
    var text = Secret()
    do throws(AgeError) {
      try contents.withUnsafeBytes { (contents) throws(AgeError) in
        try AgeFile.decrypt(contents, encoding: .binary, with: [identity]) { text.append($0) }
      }
    } catch {
      return nil
    }
    return Self.parse(text)
  }

  private static func parse(_ text: borrowing Secret) -> (name: String, copy: FolderCopy)? {
    var name: String?
    var fetched: Int64?
    var items: [ItemCopy] = []
    do throws(JSONReader.Malformed) {
      try text.withUnsafeBytes { (text) throws(JSONReader.Malformed) in
        try JSONReader.members(of: text) { (member, value) throws(JSONReader.Malformed) in
          if member == "folder" { name = try value.string().description }
          if member == "fetched" { fetched = try value.integer() }
          if member == "items" {
            try JSONReader.elements(of: value.raw) { (item) throws(JSONReader.Malformed) in
              items.append(try ItemCopy(parsing: item.raw))
            }
          }
        }
      }
    } catch {
      return nil
    }
    guard let name, let fetched else { return nil }
    return (name, FolderCopy(fetched: Timestamp(milliseconds: fetched), items: items))
  }

  // MARK: Names

  /// `LOGIN-FOLDER.age`
  private func fileName(of folder: String, _ identity: X25519Identity) -> String {
    "\(login(identity))-\(Self.code(of: ByteString(folder), 16, identity)).age"
  }

  private func login(_ identity: X25519Identity) -> String { Self.code(of: origin, 4, identity) }

  /// The first bytes of the HMAC-SHA-256 of a text under the identity, in hexadecimal digits.
  private static func code(of text: ByteString, _ count: Int, _ identity: X25519Identity) -> String {
    var code = [UInt8](repeating: 0, count: KeyDerivation.hashSize)
    code.withUnsafeMutableBytes { code in
      identity.withSecretKey { key in
        text.bytes.withUnsafeBytes { KeyDerivation.hmacSHA256(key: key, message: $0, into: code) }
      }
    }
    return hexadecimal(Array(code.prefix(count)))
  }

  private func knownIdentity() -> X25519Identity? {
    if let identity { return identity }
    guard let folder = try? Folder(opening: place), let file = try? folder.file(StateFiles.identity),
      let text = try? file.contents(limit: Self.overhead)
    else { return nil }
    identity = text.withUnsafeBytes { try? IdentityFile.parseBelievingComments($0) }?.first
    return identity
  }

  private func madeIdentity() -> X25519Identity? {
    if let identity = knownIdentity() { return identity }
    do throws(KeychainError) {
      let isMade = try SlotIdentity.make(at: place, StateFiles.identity) != nil
      // Another process may have made one in the same moment. An identity that can't be read opens no copy.
      if !isMade, knownIdentity() == nil {
        unlink(place + "/" + StateFiles.identity)
        _ = try SlotIdentity.make(at: place, StateFiles.identity)
      }
    } catch {
      return nil
    }
    return knownIdentity()
  }

  // MARK: Changing

  /// Whether one folder is the other, or above or below it, so that news of one affects the other.
  static func areRelated(_ one: String, _ other: String) -> Bool {
    one == other || one.hasPrefix(other + "/") || other.hasPrefix(one + "/")
  }

  /// Keeps a folder's contents, unless they may be outdated.
  ///
  /// - Parameters:
  ///   - now: when they were requested.
  ///   - isOwn: returns whether the copies still belong to the login that asked, so that nobody else gets these.
  func keep(_ items: [ItemCopy], of name: String, at now: Timestamp, if isOwn: () -> Bool) {
    guard let identity = madeIdentity(), let folder = try? Folder(creating: path) else { return }
    let file = fileName(of: name, identity)
    var json = JSONWriter(capacity: 4096)
    json.beginObject()
    json.member("folder", ByteString(name))
    json.member("fetched", now.milliseconds)
    json.beginArray("items")
    for item in items { item.write(to: &json) }
    json.endArray()
    json.endObject()
    let text = json.finish()
    do throws(KeychainError) {
      if text.count > Self.limit { throw .tooLarge(what: name, limit: Self.limit) }
      let encrypted = try encrypt(text, identity)
      guard let lock = try lock() else { return }
      defer { withExtendedLifetime(lock) {} }
      // Anything changed or read after the request is newer.
      if isChanged(since: now) || date(of: name, identity).map({ $0 > now && $0 <= .now }) ?? false { return }
      if !isOwn() { return }
      try encrypted.lendingBytes { (bytes) throws(KeychainError) in
        try folder.replaceForNow(file, with: bytes)
      }
      date(path + "/" + file, now)
    } catch .busy {
      return
    } catch {
      // The former copy is outdated.
      unlink(path + "/" + file)
    }
    forget(at: now)
  }

  private func encrypt(
    _ text: borrowing Secret, _ identity: X25519Identity
  ) throws(KeychainError) -> [UInt8] {
    do throws(AgeError) {
      return try text.withUnsafeBytes { (text) throws(AgeError) in
        try AgeFile.encrypt(text, to: [identity.recipient])
      }
    } catch {
      throw .unavailable(reason: "a copy can't be encrypted")
    }
  }

  /// Dates a file by its contents, so that their age is known without opening it.
  private func date(_ path: String, _ now: Timestamp) {
    let milliseconds = now.milliseconds
    let time = timespec(
      tv_sec: Int(milliseconds / 1000), tv_nsec: Int(milliseconds % 1000) * 1_000_000)
    utimensat(AT_FDCWD, path, [time, time], AT_SYMLINK_NOFOLLOW)
  }

  /// The lock for changing copies; `nil` if the keychain has no folder here.
  private func lock() throws(KeychainError) -> FileLock? {
    guard let folder = try Folder(opening: place) else { return nil }
    return try FileLock(StateFiles.copiesLock, in: folder, patience: Self.patience) {}
  }

  /// Whether something has changed since then, or may have.
  private func isChanged(since date: Timestamp) -> Bool {
    guard let changed = FileStatus.modificationDate(of: place + "/" + StateFiles.changed) else {
      return false
    }
    // The clock may have been set back.
    return changed >= date && changed <= .now
  }

  /// Notes that reads in progress don't count, and forgets copies before anybody can put them back.
  private func changing(_ forget: () -> Void) {
    let lock = try? lock()
    defer { withExtendedLifetime(lock) {} }
    if let folder = try? Folder(opening: place) {
      try? [UInt8]().lendingBytes { (bytes) throws(KeychainError) in
        try folder.replaceForNow(StateFiles.changed, with: bytes)
      }
      date(place + "/" + StateFiles.changed, .now)
    }
    forget()
  }

  /// Forgets all copies that are too old to answer, or of another place or login. With the last one goes the identity.
  func forget(at now: Timestamp) {
    forget { file, login in
      guard let date = FileStatus.modificationDate(of: path + "/" + file) else { return true }
      // A file being written, or left by a process that was killed.
      if file.hasPrefix(".") { return Timestamp.now.seconds - date.seconds > Self.writingTime }
      if !file.hasPrefix(login + "-") { return true }
      return date > now || now.seconds - date.seconds > maximumAge
    }
  }

  /// Forgets these folders, and whatever is too old.
  func forget(at now: Timestamp, where isForgotten: (String) -> Bool) {
    changing {
      guard let identity = knownIdentity(), let folder = try? Folder(opening: path) else { return }
      forget { file, _ in read(file, in: folder, identity).map { isForgotten($0.name) } ?? true }
      forget(at: now)
    }
  }

  /// Forgets all copies, and the reads in progress.
  func forgetAll() {
    changing { clear() }
  }

  /// Forgets all copies, because the reads in progress are for somebody else. Needs the lock.
  func clear() { forget { _, _ in true } }

  private func forget(_ isForgotten: (_ file: String, _ login: String) -> Bool) {
    guard let identity = knownIdentity(), let folder = try? Folder(opening: path),
      let files = try? folder.names()
    else { return }
    let login = login(identity)
    var isEmpty = true
    for file in files {
      if isForgotten(file, login) { unlink(path + "/" + file) } else { isEmpty = false }
    }
    guard isEmpty else { return }
    unlink(place + "/" + StateFiles.identity)
    self.identity = nil
  }

  var isEmpty: Bool {
    guard let folder = try? Folder(opening: path) else { return true }
    return ((try? folder.names()) ?? []).isEmpty
  }
}
