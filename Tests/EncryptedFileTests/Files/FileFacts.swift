import Glibc
import TestSupport

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
    contents = status.st_mode & S_IFMT == S_IFREG ? try TestSupport.contents(of: path) : []
  }
}

struct Failed: Error {
  let operation: String
  let path: String
  let errno: Int32
}

func exists(_ path: String) -> Bool {
  var status = stat()
  return lstat(path, &status) == 0
}

/// Sets the date of a file back.
func setAge(_ path: String, seconds: Int) {
  let moment = timespec(tv_sec: time(nil) - seconds, tv_nsec: 0)
  utimensat(AT_FDCWD, path, [moment, moment], 0)
}

/// The number of this process's descriptors for files below a folder.
func descriptors(below folder: String) -> Int {
  names(in: "/proc/self/fd").count { name in
    var target = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/fd/" + name, &target, target.count - 1)
    return count > 0 && text(target[..<count].map { UInt8(bitPattern: $0) }).hasPrefix(folder)
  }
}
