import Glibc
package import Keychain

/// The executable for the Secret Service. `llavero` becomes it if that keychain is used.
package enum SecretServiceProgram {
  package static let name = "llavero-secret-service"
  /// Its name when it runs to tell when the screen is locked.
  package static let screenWatch = "llavero-screen-watch"

  /// Replaces the process with it, keeping arguments, environment and descriptors. Returns only if that fails.
  ///
  /// - Parameter isTried: whether to find out first whether it really starts. Without that, an unusable library ends
  ///   the process.
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

  package static var remedy: String { Companion.remedy(for: name) }

  package static func isMissing(_ why: Companion.Obstacle) -> KeychainError {
    KeychainError("the Secret Service can't be used, because \(why.reason); \(why.remedy)", status: .keychain)
  }
}
