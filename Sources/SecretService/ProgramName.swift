import Glibc

/// The name of a process's program as the kernel keeps it; `nil` if there is no such process or it can't be seen.
func programName(of process: UInt32) -> String? {
  guard let file = fopen("/proc/\(process)/cmdline", "r") else { return nil }
  defer { fclose(file) }
  var buffer = [UInt8](repeating: 0, count: 1024)
  let count = fread(&buffer, 1, buffer.count, file)
  let first = buffer[..<count].prefix { $0 != 0 }
  let name = String(decoding: first, as: UTF8.self).split(separator: "/").last.map { String($0) }
  return name?.isEmpty == false ? name : nil
}
