import Glibc

/// A sentence that says what made a test impossible.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Runs a program without output, and waits for it.
func execute(_ path: String, _ arguments: [String]) throws {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  for descriptor: Int32 in 0...2 {
    posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
  }
  let words = ([path] + arguments).map { strdup($0) }
  defer { for word in words { free(word) } }
  var process: pid_t = 0
  let failure = posix_spawn(&process, path, &actions, nil, words + [nil], environ)
  guard failure == 0 else { throw Failure("cannot run \(path), which this test needs: error \(failure)") }
  var status: Int32 = 0
  while waitpid(process, &status, 0) < 0, errno == EINTR {}
  guard status == 0 else { throw Failure("\(path) \(arguments) ended with \(status)") }
}
