import Glibc

/// The descriptors and threads of this process, as reported by the kernel.
public enum OwnProcess {
  /// The number of threads with this name.
  public static func threads(named name: String) -> Int {
    names(in: "/proc/self/task").filter { task in
      guard let file = fopen("/proc/self/task/\(task)/comm", "re") else { return false }
      defer { fclose(file) }
      var line = [UInt8](repeating: 0, count: 64)
      let count = fread(&line, 1, line.count, file)
      return String(decoding: line[..<count], as: UTF8.self) == name + "\n"
    }.count
  }

  /// The number of descriptors open on a target as the kernel names it, such as `anon_inode:inotify`.
  public static func descriptors(of target: String) -> Int {
    names(in: "/proc/self/fd").filter { descriptor in
      var text = [CChar](repeating: 0, count: 256)
      let count = readlink("/proc/self/fd/\(descriptor)", &text, text.count)
      let bytes = text.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }
      return String(decoding: bytes, as: UTF8.self).hasPrefix(target)
    }.count
  }
}
