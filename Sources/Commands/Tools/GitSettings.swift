import Bytes
import Processes
import Terminals

/// What git's configuration says of credentials, as git itself reads it where this program was started: with the
/// repository's own file, includes and the variables of the environment.
enum GitSettings {
  /// One value that a file sets.
  struct Entry {
    /// In small letters but for a URL in its middle: `credential.https://github.com.helper`.
    let name: String
    let value: String
    /// `system`, `global`, `local`, `worktree` or `command`; empty if git doesn't say.
    let scope: String
    /// `file:/home/me/.gitconfig`, `command line:`.
    let origin: String
  }

  /// What holds for one URL.
  struct ForURL {
    /// Whether git sends a helper the path of an http(s) URL (git-config(1), `credential.useHttpPath`).
    var usesPath = false
    /// The account that git asks for where the URL names none (`credential.username`).
    var account: ByteString?
  }

  /// How long git may take, in milliseconds.
  private static let timeout = 5000

  /// Whether git is there at all.
  static var isInstalled: Bool { ProgramLinks.found("git") != nil }

  /// Whether this git takes ready-made headers from helpers, since 2.46 (git-credential(1), `authtype`).
  static var takesHeaders: Bool {
    // git version 2.39.5
    guard let text = output(["--version"]),
      let number = text.split(separator: " ").dropFirst(2).first?.split(separator: "."),
      let major = number.first.flatMap({ Int($0) }), let minor = number.dropFirst().first.flatMap({ Int($0) })
    else { return false }
    return (major, minor) >= (2, 46)
  }

  /// Every value below `credential`, in the order in which git takes them; `nil` if git doesn't run.
  static func credentialEntries() -> [Entry]? {
    // Git of before 2.26 knows no scopes.
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
          Entry(
            name: String(name), value: setting.count > 1 ? String(setting[1]) : "", scope: scope,
            origin: origin))
      }
      return entries
    }
    return nil
  }

  /// Whether another file than this one, which git reads before it, names helpers.
  static func hasHelpers(beside path: String) -> Bool {
    let entries = credentialEntries() ?? []
    return entries.contains {
      $0.name == "credential.helper" && !$0.value.isEmpty
        && ($0.scope == "system" || $0.scope == "global" && $0.origin != "file:\(path)")
    }
  }

  /// Throws if git, where it is there, reads a file otherwise than its text was understood.
  ///
  /// - Throws: ``Failure``.
  static func check(_ text: [UInt8], at path: String) throws(Failure) {
    guard isInstalled, !text.isEmpty else { return }
    var isSame = false
    if let output = output(["config", "--file", path, "--null", "--list"]),
      let file = try? GitConfiguration(text)
    {
      let entries = file.entries.map { entry in
        String(decoding: entry.name + (entry.value.map { [0x0a] + $0 } ?? []), as: UTF8.self)
      }
      // Git of before 2.45 makes spaces of tabs.
      func plain(_ text: String) -> String { text.replacing("\t", with: " ") }
      isSame = plain(output) == plain(entries.map { $0 + "\0" }.joined())
    }
    if isSame { return }
    throw Failure(
      "git would read its configuration otherwise with the line in it", hint: "write it there by hand",
      status: .keychain)
  }

  /// What holds for a URL without a password in it.
  static func forURL(_ url: String) -> ForURL {
    var settings = ForURL()
    guard let text = output(["config", "--null", "--get-urlmatch", "credential", url], orStatus: 1) else {
      return settings
    }
    for setting in text.split(separator: "\0") {
      let parts = setting.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      // One without a value is true (git-config(1), "Values").
      let value = parts.count > 1 ? String(parts[1]) : "true"
      switch parts[0] {
      case "credential.usehttppath": settings.usesPath = isTrue(value)
      case "credential.username": settings.account = ByteString(value)
      default: break
      }
    }
    return settings
  }

  static func isTrue(_ value: String) -> Bool {
    ["true", "yes", "on"].contains(value.lowercased()) || (Int(value).map { $0 != 0 } ?? false)
  }

  /// What git prints, as text.
  ///
  /// - Parameter other: a status that says no more than that there is nothing.
  private static func output(_ arguments: [String], orStatus other: Int32 = 0) -> String? {
    guard let program = ProgramLinks.found("git") else { return nil }
    let words = ([program] + arguments).map { CString(copying: $0) }
    guard let outcome = try? ProgramOutput.read(words, timeout: timeout, limit: 1 << 20) else { return nil }
    switch outcome {
    case .printed(let text): return text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    case .failed(.ended(.exited(other))): return ""
    case .failed: return nil
    }
  }
}
