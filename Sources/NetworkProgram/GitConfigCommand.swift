import Bytes
import Network
import SignIn
import System
import Terminals
import ToolCommands

/// Git's settings, as git itself reads them in the working directory, but for a bare repository that it happens to be in.
enum GitConfigCommand {
  /// The time limit for a run of git, in milliseconds.
  private static let timeout = 5000

  /// All settings of the sections `credential`; none if there is no git.
  static func credentialSettings() -> [GitSetting] {
    // The pattern also leaves out the values of others, which may be secret.
    output(["config", "--null", "--get-regexp", "^credential\\."]).map { GitSetting.parse($0) } ?? []
  }

  /// Git's settings for requests to a URL.
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
    // A clone can have a bare repository in a folder, with settings that whoever made it has chosen. Where git itself works
    // in one, it has set GIT_DIR, and that counts (git-config(1), "safe.bareRepository").
    let words = ([program, "-c", "safe.bareRepository=explicit"] + arguments).map { CString(copying: $0) }
    guard let outcome = try? ProgramOutput.read(words, timeout: timeout, limit: 1 << 20) else { return nil }
    switch outcome {
    // Values for a Basic login of a proxy may be among it.
    case .printed(let text): return text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    case .failed: return nil
    }
  }
}
