import Glibc

/// The name of a process's program, from its executable; `nil` if there is no such process or it can't be examined.
///
/// The kernel hides the executable of a program with more privileges than the caller, such as gnome-keyring where it
/// may lock memory. Then the result is the name that the process claims, with a remark.
package func programName(of process: UInt32) -> String? {
  if let path = programPath(of: process) { return lastComponent(of: path) }
  guard errno == EACCES || errno == EPERM else { return nil }
  return statedProgramName(of: process).map { $0 + ", by its own account" }
}

/// The executable of a process; `nil`, with errno set, if there is no such process or it can't be examined.
package func programPath(of process: UInt32) -> String? {
  var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = readlink("/proc/\(process)/exe", &buffer, buffer.count)
  if count <= 0 { return nil }
  var path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  // The file was replaced by a newer one after the program started.
  if path.hasSuffix(" (deleted)") { path.removeLast(" (deleted)".count) }
  return path
}

/// The name that the process claims, which may be anything.
private func statedProgramName(of process: UInt32) -> String? {
  guard let file = fopen("/proc/\(process)/cmdline", "re") else { return nil }
  defer { fclose(file) }
  var buffer = [UInt8](repeating: 0, count: 1024)
  let count = fread(&buffer, 1, buffer.count, file)
  return lastComponent(of: String(decoding: buffer[..<count].prefix { $0 != 0 }, as: UTF8.self))
}

private func lastComponent(of path: String) -> String? { path.split(separator: "/").last.map { String($0) } }
