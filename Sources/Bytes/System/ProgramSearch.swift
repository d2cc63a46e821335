import Glibc

/// Finds a program as a shell does, without a shell.
package enum ProgramSearch {
  /// Tries the files that a name may refer to until one can be executed: the name itself if it has a slash, else the
  /// files with that name on the PATH.
  ///
  /// - Parameter execute: executes the file at a path. Returns 0, or an `errno`.
  /// - Returns: 0, or the `errno` of the failure.
  package static func run(_ name: CString, _ execute: (UnsafePointer<CChar>) -> Int32) -> Int32 {
    if name.pointee == 0 { return ENOENT }
    if strchr(name.pointer, 0x2f) != nil { return execute(name.pointer) }
    // The path that execvp(3) uses if there is none.
    let path = getenv("PATH").map { CString(pointer: $0).bytes } ?? "/bin:/usr/bin"
    var failure = ENOENT
    for folder in path.bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false) {
      let candidate = (folder.isEmpty ? [UInt8(ascii: ".")] : Array(folder)) + [0x2f] + name.bytes.bytes + [0]
      let result = candidate.withUnsafeBytes { bytes in
        bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.map(execute) ?? ENOENT }
      }
      switch result {
      case ENOENT, ENOTDIR: continue
      // A later file may be executable; if none is, the failure is this one's.
      case EACCES: failure = result
      default: return result
      }
    }
    return failure
  }

  /// Replaces this process by the program named by the first argument.
  ///
  /// - Parameter variables: its environment, as `NAME=VALUE`; `nil` for that of this process.
  /// - Returns: the `errno` of the failure.
  package static func become(_ arguments: [CString], _ variables: [CString]? = nil) -> Int32 {
    let environment = variables ?? CString.environment { _ in true }
    return run(arguments[0]) { path in
      CString.withPointers(arguments) { words in
        CString.withPointers(environment) { variables in
          execve(path, words, variables)
          return errno
        }
      }
    }
  }

  /// The file to execute for a name; `nil` if there is none.
  package static func path(of name: CString) -> String? {
    var found: String?
    _ = run(name) { candidate in
      if access(candidate, X_OK) != 0 { return errno }
      var status = stat()
      // A folder has the mode's x bit, too, but can't be executed.
      if stat(candidate, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return EACCES }
      found = String(cString: candidate)
      return 0
    }
    return found
  }
}

extension CString {
  fileprivate var pointee: CChar { pointer.pointee }
}
