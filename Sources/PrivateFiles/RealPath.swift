import Glibc

/// The path with every link resolved (realpath(3)); `nil` if it leads nowhere or can't be resolved.
package func realPath(_ path: String) -> String? {
  guard let real = realpath(path, nil) else { return nil }
  defer { free(real) }
  return String(cString: real)
}
