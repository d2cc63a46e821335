import Bytes
import CredentialProtocols
import Keychain
import ToolCommands

/// Git's credential settings as git reads them in the working directory: with the repository's own file, includes and
/// environment variables.
enum GitSettings {
  struct Entry {
    /// In lowercase, except for a URL in the middle: `credential.https://github.com.helper`.
    let name: String
    let value: String
    /// `system`, `global`, `local`, `worktree` or `command`; empty if git doesn't say.
    let scope: String
    /// For example `file:/home/me/.gitconfig` or `command line:`.
    let origin: String

    /// The last part of the name: `helper`.
    var key: Substring { name.split(separator: ".").last ?? "" }

    /// Whether it applies to a place: to every one, or by the URL in its name.
    func isMeant(for place: GitPlace) -> Bool {
      let url = name.dropFirst("credential.".count).dropLast(key.count)
      return url.isEmpty || GitURLPattern(String(url.dropLast())).map { $0.fit(place) != nil } ?? false
    }
  }

  struct ForURL {
    /// Whether git sends a helper the path of an http(s) URL (git-config(1), `credential.useHttpPath`).
    var usesPath = false
    /// The account that git asks for if the URL names none (`credential.username`).
    var account: ByteString?
    /// All entries for it, in the order in which git reads them; `nil` if git can't read its configuration.
    var entries: [Entry]?
  }

  /// In milliseconds.
  private static let timeout = 5000

  static var isInstalled: Bool { ProgramLinks.found("git") != nil }

  /// Whether this git accepts ready-made headers from helpers, as it does since 2.46 (git-credential(1), `authtype`).
  static var takesHeaders: Bool {
    // git version 2.39.5
    guard let text = output(["--version"]),
      let number = text.split(separator: " ").dropFirst(2).first?.split(separator: "."),
      let major = number.first.flatMap({ Int($0) }), let minor = number.dropFirst().first.flatMap({ Int($0) })
    else { return false }
    return (major, minor) >= (2, 46)
  }

  /// The values below `credential`, in the order in which git reads them; `nil` if git can't be run.
  static func credentialEntries() -> [Entry]? {
    // Git before 2.26 doesn't know scopes.
    for hasScope in [true, false] {
      let arguments = ["config", "--null", "--show-origin"] + (hasScope ? ["--show-scope"] : [])
      guard let text = output(arguments + ["--get-regexp", "^credential\\."], orStatus: 1) else { continue }
      var entries: [Entry] = []
      var fields = text.split(separator: "\0", omittingEmptySubsequences: false)[...]
      let count = hasScope ? 3 : 2
      while fields.count >= count {
        let scope = hasScope ? String(fields.removeFirst()) : ""
        let origin = String(fields.removeFirst())
        let setting = fields.removeFirst().split(
          separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = setting.first else { continue }
        entries.append(
          // A key without a value is true (git-config(1), "Values").
          Entry(
            name: String(name), value: setting.count > 1 ? String(setting[1]) : "true", scope: scope,
            origin: origin))
      }
      return entries
    }
    return nil
  }

  /// The folder of git's own programs, which it searches before the PATH.
  static var ownFolder: String? {
    output(["--exec-path"], showsErrors: false)?.split(separator: "\n").first.map(String.init)
  }

  /// Whether another file, which git reads before this one, names helpers.
  static func hasHelpers(beside path: String) -> Bool {
    let entries = credentialEntries() ?? []
    return entries.contains {
      $0.name == "credential.helper" && !$0.value.isEmpty
        && ($0.scope == "system" || $0.scope == "global" && $0.origin != "file:\(path)")
    }
  }

  /// Checks that git, if it is installed, reads a file as llavero does.
  ///
  /// - Throws: ``KeychainError`` if it doesn't.
  static func check(_ text: [UInt8], at path: String) throws(KeychainError) {
    guard isInstalled, !text.isEmpty else { return }
    var isSame = false
    if let output = output(["config", "--file", path, "--null", "--list"]),
      let file = try? GitEntries(text)
    {
      let entries = file.entries.map { entry in
        String(decoding: entry.name + (entry.value.map { [0x0a] + $0 } ?? []), as: UTF8.self)
      }
      // Git before 2.45 turns tabs into spaces.
      func plain(_ text: String) -> String { text.replacingPart("\t", with: " ") }
      isSame = plain(output) == plain(entries.map { $0 + "\0" }.joined())
    }
    if isSame { return }
    throw .failure(
      "git would read its configuration otherwise with the line in it", hint: "write it there by hand",
      status: .keychain)
  }

  /// The settings for a place. Unlike `git config --get-urlmatch`, git takes all that fit when it looks for a login,
  /// and the last one counts.
  static func forPlace(_ key: InternetPassword) -> ForURL {
    var settings = ForURL()
    let place = GitPlace(
      protocol: key.protocol, account: key.account, host: key.hostForGit, path: key.path)
    settings.entries = credentialEntries()?.filter { $0.isMeant(for: place) }
    for entry in settings.entries ?? [] {
      switch entry.key {
      case "usehttppath": settings.usesPath = isTrue(entry.value)
      case "username": settings.account = ByteString(entry.value)
      default: break
      }
    }
    return settings
  }

  /// What git uses for an address, or for the name of a remote in this folder (git-config(1), `url.<base>.insteadOf` and
  /// `remote.<name>.url`); `nil` if that is the same, or only another program understands it.
  static func instead(of address: String) -> GitAddress? {
    guard let text = output(["ls-remote", "--get-url", "--", address]),
      let line = text.split(separator: "\n").first.map(String.init), line != address
    else { return nil }
    let used = GitAddress(line)
    return used.place == nil && used.whyUnasked == nil ? nil : used
  }

  static func isTrue(_ value: String) -> Bool {
    ["true", "yes", "on"].contains(value.lowercased()) || (Int(value).map { $0 != 0 } ?? false)
  }

  /// - Parameter other: an exit status that only means there is nothing to print.
  private static func output(_ arguments: [String], orStatus other: Int32 = 0, showsErrors: Bool = true)
    -> String?
  {
    guard let program = ProgramLinks.found("git") else { return nil }
    let words = ([program] + arguments).map { CString(copying: $0) }
    guard
      let outcome = try? ProgramOutput.read(
        words, timeout: timeout, limit: 1 << 20, showsErrors: showsErrors)
    else { return nil }
    switch outcome {
    case .printed(let text): return text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    case .failed(.ended(.exited(other))): return ""
    case .failed: return nil
    }
  }
}

extension InternetPassword {
  /// The host and port as git names them: as written, even a default port.
  fileprivate var hostForGit: ByteString {
    let server = server ?? ""
    let host = server.bytes.contains(UInt8(ascii: ":")) ? "[\(server)]" : "\(server)"
    return ByteString(host + (port.map { ":\($0)" } ?? ""))
  }
}
