import Bytes
import SignIn
import ToolCommands

/// Git's settings as git reads them in the working directory, except those of a bare repository there.
enum GitConfigCommand {
  /// In milliseconds.
  private static let timeout = 5000

  /// All settings of the sections `credential`; none if there is no git.
  static func credentialSettings() -> [GitSetting] {
    // The pattern also leaves out other settings, whose values may be secret.
    output(["config", "--null", "--get-regexp", "^credential\\."]).map { GitSetting.parse($0) } ?? []
  }

  static func httpSettings(for url: EndpointURL) -> HTTPSettings {
    let text = output(["config", "--null", "--get-urlmatch", "http", url.text]) ?? ""
    let settings = GitSetting.parse(text).map { setting in
      HTTPSettings.files.contains(setting.name) ? setting.expandingHome(Variables.value("HOME")) : setting
    }
    let http = HTTPSettings(settings, variable: Variables.value)
    if !http.verifies { SignInText.sayUnverified(url) }
    return http
  }

  private static func output(_ arguments: [String]) -> String? {
    guard let program = ProgramSearch.path(of: CString("git")) else { return nil }
    // A clone can contain a bare repository, with settings that its author has chosen. Git sets GIT_DIR where it works
    // in one itself, and that counts (git-config(1), "safe.bareRepository").
    let words = ([program, "-c", "safe.bareRepository=explicit"] + arguments).map { CString(copying: $0) }
    guard let outcome = try? ProgramOutput.read(words, timeout: timeout, limit: 1 << 20) else { return nil }
    switch outcome {
    // It may contain a proxy's Basic login.
    case .printed(let text): return text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    case .failed: return nil
    }
  }
}
