import Glibc
import Keychain

/// The executable with support for the Secret Service, which `llavero` becomes if that keychain is used.
package enum SecretServiceProgram {
  package static let name = "llavero-secret-service"
  /// The name that it is run as to say when the screen is locked.
  package static let screenWatch = "llavero-screen-watch"

  /// Replaces the process with it, keeping arguments, environment and descriptors. Returns only if that fails.
  ///
  /// - Parameter isTried: whether to find out first whether it really starts. Without that, a library that is there and
  ///   is of no use ends the process.
  package static func become(isTried: Bool = false) -> Companion.Obstacle {
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

  /// What to do where it can't be started.
  package static var remedy: String { Companion.remedy(for: name) }

  /// The failure for users who have chosen the Secret Service where it can't be run.
  package static func isMissing(_ why: Companion.Obstacle) -> Failure {
    Failure("the Secret Service can't be used, because \(why.reason); \(why.remedy)", status: .keychain)
  }
}
