import Glibc

/// Where a path leads, every link followed (realpath(3)); `nil` if there is nothing, or if that can't be told.
package func realPath(_ path: String) -> String? {
  guard let real = realpath(path, nil) else { return nil }
  defer { free(real) }
  return String(cString: real)
}
