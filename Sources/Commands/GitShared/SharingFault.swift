import Keychain

/// The reason why a keychain and its git repository can't be synced.
enum SharingFault: Error, Hashable, Sendable {
  case noGit
  case tooSlow(operation: String, milliseconds: Int)
  case unreachable(said: String)
  case noRepository(said: String)
  /// The repository's host has refused the login, or there is none.
  case loginRefused(said: String)
  /// The key of the repository's host is unknown, or has changed.
  case hostKey(said: String)
  /// The repository takes nothing from here: it is read-only, its branch is protected, or a hook has refused it.
  case refused(said: String)
  /// git has failed in another way.
  case failed(operation: String, status: Int32, said: String)
  /// The repository no longer descends from the commit that was seen there: somebody has put back an earlier one, or
  /// rewritten its history.
  case rewritten(seen: String, found: String?)
  /// The repository has commits, but no longer the keychain.
  case keychainRemoved(commit: String)
  /// Others were faster each time.
  case contended(attempts: Int)
  /// A lock of git's blocks the repository, and stays there.
  case locked(file: String)
  /// The clone of the repository on this machine can't be used.
  case brokenClone
  /// The repository has more of the keychain than is ever read, so not from a member.
  case tooMuch(what: String)
  case noKeychain
  /// Nothing here opens the repository's keychain; this machine may have opened it before.
  case notMember(wasBefore: Bool)
  case unusable(detail: String)
  /// The repository's keychain has its key from somebody without the former one. These folders have the former local
  /// files, if they were put aside.
  case untrustedKey(detail: String, putAside: [String])
  case otherKeychain
  /// Another process took too long.
  case busy
  /// The keychain here, or in the repository, can't be used.
  case keychain(KeychainError)

  /// The failure if a git command succeeds, and prints something unexpected.
  static func misunderstood(_ operation: String) -> SharingFault {
    .failed(operation: operation, status: 0, said: "its answer can't be understood")
  }

  /// Runs `body`, whose errors are those of a keychain.
  static func ofKeychain<Result: ~Copyable>(
    _ body: () throws(KeychainError) -> Result
  ) throws(SharingFault) -> Result {
    do throws(KeychainError) { return try body() } catch { throw .keychain(error) }
  }

  /// Whether a person has to decide how to go on.
  var needsDecision: Bool {
    switch self {
    case .rewritten, .keychainRemoved, .unusable, .untrustedKey, .tooMuch: true
    default: false
    }
  }

  /// Whether it is likely to pass by itself.
  var passes: Bool {
    switch self {
    case .tooSlow, .unreachable, .contended, .busy: true
    default: false
    }
  }

  /// Finds the reason of a git failure in git's messages.
  ///
  /// - Parameters:
  ///   - isPush: whether git was to send something.
  ///   - said: its messages in the C locale.
  init(_ operation: String, status: Int32, said: String, isPush: Bool) {
    func says(_ parts: String...) -> Bool { parts.contains { said.hasPart($0) } }
    let line = Self.line(of: said)
    if says("not a git repository: ") {
      self = .brokenClone
    } else if says("Host key verification failed", "REMOTE HOST IDENTIFICATION HAS CHANGED") {
      self = .hostKey(said: line)
    } else if isPush,
      says(
        "The requested URL returned error: 403", "Permission to", "access denied", "read-only", "read only")
    {
      self = .refused(said: line)
    } else if says(
      "Authentication failed", "could not read Username", "could not read Password",
      "terminal prompts disabled",
      "Permission denied", "The requested URL returned error: 401", "The requested URL returned error: 403")
    {
      self = .loginRefused(said: line)
    } else if says(
      "does not appear to be a git repository", "repository not found", "Repository not found",
      "does not exist",
      "not found: did you run git update-server-info", "' not found")
    {
      self = .noRepository(said: line)
    } else if says(
      "Could not resolve", "Failed to connect", "Connection refused", "Connection timed out",
      "Connection reset",
      "Connection closed", "unable to access", "Could not read from remote repository", "early EOF",
      "the remote end hung up", "Couldn't connect", "Operation too slow")
    {
      self = .unreachable(said: line)
    } else {
      self = .failed(operation: operation, status: status, said: line)
    }
  }

  /// The most informative line, at most 300 bytes of it.
  static func line(of said: String) -> String {
    let lines = said.utf8.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }).map {
      String(decoding: $0, as: UTF8.self)
    }
    let marks = ["fatal: ", "remote: error: ", "error: ", "remote: "]
    for mark in marks {
      let found = lines.first { $0.hasPrefix(mark) && $0.utf8.count > mark.utf8.count }
      if let found { return cut(String(found.dropFirst(mark.count))) }
    }
    return cut(lines.last ?? "")
  }

  private static func cut(_ line: String) -> String {
    line.utf8.count <= 300 ? line : String(decoding: Array(line.utf8.prefix(297)), as: UTF8.self) + "..."
  }

  /// The path of a lock that another git holds or has left, from git's messages, at most 300 bytes.
  static func lock(in said: String) -> String? {
    // cannot lock ref '...': Unable to create 'PATH.lock': File exists.
    let parts = said.split(separator: "'", omittingEmptySubsequences: false)
    let before = parts.indices.dropLast(2).first {
      parts[$0].hasSuffix("Unable to create ") && parts[$0 + 2].hasPrefix(": File exists")
    }
    guard let path = before.map({ parts[$0 + 1] }), path.hasSuffix(".lock"), path.utf8.count <= 300 else {
      return nil
    }
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    return names.contains("..") ? nil : names.filter { $0 != "." }.joined(separator: "/")
  }

  static func remoteLine(of said: String) -> String? {
    let lines = said.utf8.split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self) }
    let found = lines.first { $0.hasPrefix("remote: ") && $0.utf8.count > 9 }
    return found.map { line in
      var text = String(line.dropFirst(8))
      while text.hasSuffix(" ") { text.removeLast() }
      return text.utf8.count <= 200 ? text : String(text.prefix(197)) + "..."
    }
  }
}
