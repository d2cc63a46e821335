import Age
import EncryptedFile
import Glibc
import Keychain

/// A separate folder for a vault, removed when this is released.
final class Place: Sendable {
  let path: String
  let location: VaultLocation

  init() {
    var template = Array("/tmp/llavero-vault-test-XXXXXX".utf8CString)
    path = String(cString: mkdtemp(&template))
    location = VaultLocation(vaultFolder: path + "/data/llavero", stateFolder: path + "/state/llavero")
  }

  deinit { removeAll(path) }

  var vault: String { location.vaultFile }
  var identityFile: String { location.identityFile }
  var newIdentityFile: String { location.identityFile + ".new" }
  var lock: String { location.vaultFolder + "/lock" }
  var slots: String { location.vaultFolder + "/slots" }

  func keychain(
    passphrase: String? = nil, maximumWorkFactor: Int = 20, patience: Int = 60,
    onNotice: @escaping (EncryptedFileKeychain.Notice) -> Void = { _ in },
    clock: @escaping () -> Timestamp = { .now }
  ) -> EncryptedFileKeychain {
    EncryptedFileKeychain(
      at: location, passphrase: { attempt in attempt == 1 ? passphrase.map { Secret($0) } : nil },
      maximumWorkFactor: maximumWorkFactor, patience: patience, onNotice: onNotice, clock: clock)
  }

  /// The name of the copy of this machine's last write.
  var newestWriteName: String { location.newestWriteName }
  var newestWrite: String { location.vaultFolder + "/" + newestWriteName }

  /// Removes the vault's file and the copy of it.
  func loseVault() {
    unlink(vault)
    unlink(newestWrite)
  }

  /// Writes bytes into the vault's file, in place, and removes the copy of it.
  func overwriteVault(_ bytes: [UInt8]) throws {
    try put(bytes, into: vault)
    unlink(newestWrite)
  }

  /// Makes the two folders as the program does.
  func makeFolders() {
    for folder in ["/data", "/data/llavero", "/state", "/state/llavero"] { mkdir(path + folder, 0o700) }
  }

  /// The plain identity of the vault.
  func identity() throws -> X25519Identity {
    let text = try contents(of: identityFile)
    return try text.withUnsafeBytes { try IdentityFile.parse($0) }[0]
  }

  /// The text that stock age would print.
  func plaintext() throws -> [UInt8] {
    try AgeFile.decrypt(try contents(of: vault), with: [try identity()])
  }

  /// Everything in the folder except the lock: paths with inode, mode, contents and, for files, their time.
  func everything() throws -> [String: FileFacts] {
    var all: [String: FileFacts] = [:]
    func visit(_ folder: String) throws {
      for name in names(in: folder) {
        let path = folder + "/" + name
        if path == lock { continue }
        let facts = try FileFacts(path)
        all[path] = facts
        if facts.isFolder { try visit(path) }
      }
    }
    try visit(path)
    return all
  }
}

struct FileFacts: Hashable {
  let inode: UInt
  let mode: UInt32
  let modified: [Int]
  let contents: [UInt8]

  var isFolder: Bool { mode & S_IFMT == S_IFDIR }

  init(_ path: String) throws {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw Failed(operation: "lstat", path: path, errno: errno) }
    inode = UInt(status.st_ino)
    mode = status.st_mode
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    modified = isFolder ? [] : [Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec)]
    contents =
      status.st_mode & S_IFMT == S_IFREG ? try EncryptedFileTests.contents(of: path) : []
  }
}

struct Failed: Error {
  let operation: String
  let path: String
  let errno: Int32
}

func contents(of path: String) throws -> [UInt8] {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { throw Failed(operation: "open", path: path, errno: errno) }
  defer { close(file) }
  var status = stat()
  fstat(file, &status)
  return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { memory, count in
    while count < memory.count, let base = memory.baseAddress {
      let done = read(file, base + count, memory.count - count)
      if done <= 0 { return }
      count += done
    }
  }
}

/// Writes bytes to a file of mode 0600, in place.
func put(_ bytes: [UInt8], into path: String) throws {
  let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  guard file >= 0 else { throw Failed(operation: "open", path: path, errno: errno) }
  defer { close(file) }
  var done = 0
  while done < bytes.count {
    let count = bytes.withUnsafeBytes { write(file, $0.baseAddress.map { $0 + done }, bytes.count - done) }
    guard count > 0 else { throw Failed(operation: "write", path: path, errno: errno) }
    done += count
  }
}

func exists(_ path: String) -> Bool {
  var status = stat()
  return lstat(path, &status) == 0
}

func names(in folder: String) -> [String] {
  guard let stream = opendir(folder) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names.sorted()
}

func removeAll(_ path: String) {
  if unlink(path) == 0 { return }
  for name in names(in: path) { removeAll(path + "/" + name) }
  rmdir(path)
}

func item(_ server: String, _ account: String? = "alice", path: String? = nil) -> Item {
  Item(
    InternetPassword(
      protocol: "https", server: ByteString(server), account: account.map { ByteString($0) },
      path: path.map { ByteString($0) }))
}

func query(_ server: String, _ account: String? = nil) throws -> ItemQuery {
  .internetPassword(
    try InternetPasswordQuery(
      protocol: "https", server: ByteString(server), account: account.map { ByteString($0) }))
}

extension KeychainStore {
  /// Adds items with the passwords `secret-SERVER`, in a single write.
  func add(servers: [String]) throws {
    try exclusively { () throws(KeychainError) in
      for server in servers { try add(item(server), Credential(password: "secret-" + server)) }
    }
  }

  /// The secret of an item as text.
  func secret(of item: Item) throws -> String {
    let credential = try credential(of: item)
    return credential.secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// The servers of all items, sorted.
  func servers() throws -> [String] {
    try items(matching: .all).compactMap { item in
      guard case .internetPassword(let key) = item.key else { return nil }
      return key.server?.description
    }.sorted()
  }
}

/// The number of this process's descriptors for files below a folder.
func descriptors(below folder: String) -> Int {
  names(in: "/proc/self/fd").count { name in
    var target = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/fd/" + name, &target, target.count - 1)
    return count > 0 && text(target[..<count].map { UInt8(bitPattern: $0) }).hasPrefix(folder)
  }
}

func lines(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
  text.split(separator: 0x0a, omittingEmptySubsequences: false)
}

func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }
