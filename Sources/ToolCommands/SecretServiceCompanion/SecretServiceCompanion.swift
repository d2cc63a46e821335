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
    execv(program.path, CommandLine.unsafeArgv)
    let failure = errno
    ProcessSettings.make()
    return Companion.Obstacle(
      reason: "\(program.path) can't be run: \(errorText(failure))", remedy: remedy)
  }

  package static var remedy: String { Companion.remedy(for: name) }
}
