import Glibc
import Keychain

/// The memory for deriving a key from a passphrase. It is checked first, because the kernel kills a process that uses
/// too much in a container.
enum ScryptMemory {
  /// The MiB for scrypt with r = 8 (RFC 7914 section 2).
  static func needed(workFactor: Int) -> Int {
    (1024 << workFactor) >> 20
  }

  /// - Parameter available: MiB.
  /// - Throws: ``KeychainError/notEnoughMemory(needed:available:)``.
  static func check(workFactor: Int, available: Int? = available) throws(KeychainError) {
    guard let available else { return }
    let needed = needed(workFactor: workFactor)
    if needed > available { throw .notEnoughMemory(needed: needed, available: available) }
  }

  /// The memory in MiB that this process may still use, if known: the smaller of the machine's available memory and
  /// the rest of the control group's.
  static var available: Int? {
    var limits: [Int] = []
    for line in text(of: "/proc/meminfo").split(separator: "\n") where line.hasPrefix("MemAvailable:") {
      let digits = line.filter { $0.isNumber }
      if let kibibytes = Int(digits) { limits.append(kibibytes >> 10) }
    }
    if let limit = number(in: "/sys/fs/cgroup/memory.max") {
      limits.append(max(0, limit - (number(in: "/sys/fs/cgroup/memory.current") ?? 0)) >> 20)
    }
    return limits.min()
  }

  private static func number(in path: String) -> Int? {
    Int(text(of: path).prefix { $0.isNumber })
  }

  private static func text(of path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 8192)
    let count = read(file, &buffer, buffer.count)
    return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : ""
  }
}
