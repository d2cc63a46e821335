import Glibc

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

/// The number of this process's descriptors for files below a folder.
func descriptors(below folder: String) -> Int {
  names(in: "/proc/self/fd").count { name in
    var target = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/fd/" + name, &target, target.count - 1)
    return count > 0 && text(target[..<count].map { UInt8(bitPattern: $0) }).hasPrefix(folder)
  }
}
