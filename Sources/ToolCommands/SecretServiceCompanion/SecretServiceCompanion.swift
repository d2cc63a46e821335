import Glibc
import Keychain

/// The executable for the Secret Service. `llavero` becomes it if that keychain is used.
package enum SecretServiceCompanion {
  package static let name = "llavero-secret-service"
  /// Its name when it runs to tell when the screen is locked.
  package static let screenWatch = "llavero-screen-watch"

  /// Why the process could not become it. Set by the main thread, before there are others.
  nonisolated(unsafe) private static var obstacle: Companion.Obstacle?

  /// Replaces the process with it, keeping arguments, environment and descriptors. Returns only if that fails, and tries
  /// it once.
  ///
  /// - Parameter isTried: whether to find out first whether it really starts. Without that, an unusable library ends
  ///   the process.
  static func exec(isTried: Bool) -> Companion.Obstacle {
    if let obstacle { return obstacle }
    let found = replaceProcess(isTried)
    obstacle = found
    return found
  }

  private static func replaceProcess(_ isTried: Bool) -> Companion.Obstacle {
    let program: Companion
    do throws(Companion.Obstacle) {
      program = try Companion(name)
    } catch {
      return error
    }
    if isTried, !program.starts() {
      return Companion.Obstacle(reason: "\(name) can't be started", remedy: remedy)
    }
    // It makes its own settings, and must know the former ones.
    ProcessSettings.takeBack()
    setenv(caller, Program.wholeVersion, 1)
    execv(program.path, CommandLine.unsafeArgv)
    let failure = errno
    unsetenv(caller)
    ProcessSettings.make()
    return Companion.Obstacle(
      reason: "\(program.path) can't be run: \(errorText(failure))", remedy: remedy)
  }

  package static var remedy: String { Companion.remedy(for: name) }

  /// The variable with the version of the program that has become this one. It is for nobody else.
  private static let caller = "LLAVERO_COMPANION_OF"

  /// Ends the process if another version has become it, for both have to agree in all that they write and ask.
  static func checkCaller() {
    guard let version = getenv(caller).map({ String(cString: $0) }) else { return }
    unsetenv(caller)
    if version == Program.wholeVersion { return }
    Program.end(
      KeychainError(
        "the Secret Service can't be used, because \(name) is of version \(Program.wholeVersion), and llavero of \(version); "
          + "install both anew", status: .keychain))
  }
}
