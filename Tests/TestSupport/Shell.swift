import Glibc

/// Runs a shell command and waits for its end.
///
/// Unlike system(3), which ignores SIGINT and SIGQUIT in the whole process meanwhile, and so changes what other tests
/// look at.
///
/// - Returns: the exit status; -1 if the shell can't be run or a signal has ended it.
public func runShell(_ command: String) -> Int32 {
  let arguments: [String] = ["sh", "-c", command]
  var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
  defer { for word in words { free(word) } }
  var process: pid_t = 0
  guard posix_spawn(&process, "/bin/sh", nil, nil, &words, environ) == 0 else { return -1 }
  var status: Int32 = 0
  while waitpid(process, &status, 0) < 0 { if errno != EINTR { return -1 } }
  return status & 0x7f == 0 ? status >> 8 & 0xff : -1
}
