import Keychain

/// Threads that use one keychain side by side, so that a job that waits for a person doesn't hold up others.
struct KeychainThreads {
  /// The threads, each with its own connection.
  let all: [KeychainThread]

  /// - Parameters:
  ///   - count: how many there are.
  ///   - open: opens the keychain for one of them.
  init(_ count: Int, _ open: @escaping @Sendable () throws(KeychainError) -> any KeychainStore) {
    all = (0..<max(count, 1)).map { _ in KeychainThread(open) }
  }

  /// The first of those with the fewest jobs.
  var next: KeychainThread { all.reduce(all[0]) { $1.waiting < $0.waiting ? $1 : $0 } }

  func forget() { for thread in all { thread.forget() } }
}
