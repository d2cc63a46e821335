import CLinux
import Glibc
import Keychain

/// A file of another program that has passwords or tokens in plain text.
struct LooseCredentials {
  /// What `llavero import` calls it.
  let kind: String
  /// The file.
  let path: String
  /// How many there are in it.
  let count: Int
  /// Whether `llavero import` has to be told where it is.
  let isElsewhere: Bool

  /// What is wrong.
  var problem: String {
    "\(countText(count, "password")) or \(count == 1 ? "token" : "tokens") in plain text"
  }

  /// What to type next.
  var remedy: String { "llavero import \(kind) \(isElsewhere ? "\(path) " : "")--remove-source" }

  /// The most of a file that is looked at, in bytes.
  private static let limit = 1 << 20

  /// Looks in the usual places. Opens plain files alone, and asks nobody.
  ///
  /// - Parameter stores: further files of git's own plaintext store.
  static func find(_ place: SetupPlace, stores: [String] = []) -> [LooseCredentials] {
    let docker = (place.variable("DOCKER_CONFIG") ?? place.home(".docker")) + "/config.json"
    let cargo = place.variable("CARGO_HOME") ?? place.home(".cargo")
    let git = [place.home(".git-credentials"), place.config("git/credentials")]
    let candidates: [(String, String, (UnsafeRawBufferPointer) -> Int)] =
      (git + stores.filter { !git.contains($0) }).map { ("git-credentials", $0, urls) } + [
        ("netrc", place.variable("NETRC") ?? place.home(".netrc"), netrcPasswords),
        ("docker", docker, dockerLogins),
        (
          "gh", (place.variable("GH_CONFIG_DIR") ?? place.config("gh")) + "/hosts.yml",
          { values("oauth_token", in: $0) }
        ),
        ("cargo", cargo + "/credentials.toml", { values("token", in: $0) }),
        ("cargo", cargo + "/credentials", { values("token", in: $0) }),
        ("pypirc", place.home(".pypirc"), { values("password", in: $0) }),
      ]
    return candidates.compactMap { kind, path, count in
      guard let text = contents(of: path) else { return nil }
      let found = text.withUnsafeBytes(count)
      return found > 0
        ? LooseCredentials(
          kind: kind, path: path, count: found, isElsewhere: kind == "git-credentials" && !git.contains(path))
        : nil
    }
  }

  /// What a plain file says; `nil` if there is none that can be read.
  private static func contents(of path: String) -> Secret? {
    // Nothing is waited for, as a pipe would want.
    let file = clinux_openat(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0)
    if file < 0 { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit else {
      return nil
    }
    return try? StandardStreams.readAll(file, limit: limit, what: path)
  }

  // MARK: How many there are

  /// Lines of git's store: URLs with a user and a password (git-credential-store(1)).
  private static func urls(_ text: UnsafeRawBufferPointer) -> Int {
    lines(text).count { line in
      guard let at = line.firstIndex(of: UInt8(ascii: "@")) else { return false }
      return line[..<at].count { $0 == UInt8(ascii: ":") } > 1
    }
  }

  /// Words `password` with another word behind (The .netrc file, Inetutils).
  private static func netrcPasswords(_ text: UnsafeRawBufferPointer) -> Int {
    let words = text.split { $0 <= 0x20 }
    return words.indices.dropLast().count { words[$0].elementsEqual("password".utf8) }
  }

  /// Members of `auths` that hold something secret.
  private static func dockerLogins(_ text: UnsafeRawBufferPointer) -> Int {
    var count = 0
    try? JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
      guard name == "auths", value.kind == .object else { return }
      try JSONReader.members(of: value.raw) { (_, login) throws(JSONReader.Malformed) in
        guard login.kind == .object else { return }
        var isSecret = false
        try JSONReader.members(of: login.raw) { (name, value) in
          let holdsSecret =
            name == "auth" || name == "password" || name == "identitytoken" || name == "registrytoken"
          // An empty string is two quotes.
          if holdsSecret, value.kind == .string, value.raw.count > 2 { isSecret = true }
        }
        if isSecret { count += 1 }
      }
    }
    return count
  }

  /// Lines `NAME = VALUE` or `NAME: VALUE` that are no comment and have a value.
  private static func values(_ name: StaticString, in text: UnsafeRawBufferPointer) -> Int {
    lines(text).count { line in
      let line = line.drop { $0 == 0x20 || $0 == 0x09 }
      guard line.starts(with: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
      else {
        return false
      }
      let rest = line.dropFirst(name.utf8CodeUnitCount).drop { $0 == 0x20 || $0 == 0x09 }
      guard rest.first == UInt8(ascii: "=") || rest.first == UInt8(ascii: ":") else { return false }
      return rest.dropFirst().contains { $0 > 0x20 && $0 != UInt8(ascii: "\"") }
    }
  }

  private static func lines(_ text: UnsafeRawBufferPointer) -> [Slice<UnsafeRawBufferPointer>] {
    text.split { $0 == 0x0a || $0 == 0x0d }
  }
}
