package import Keychain

/// What a command needs of `llavero-secret-service`, the only program that reaches the Secret Service.
package enum CompanionNeed {
  /// Nothing.
  case none
  /// It, if it is installed. Without it, the command does the rest.
  case wanted
  /// The same for a command that reports what is wrong with it, and therefore tries first whether it starts.
  case examined
  /// It; nothing can be done without it.
  case required

  /// Becomes that program if it is needed. Nothing may have been read from standard input before.
  ///
  /// - Throws: ``KeychainError`` if it is required, and can't be started.
  package func meet() throws(KeychainError) {
    guard let obstacle = obstacle(), self == .required else { return }
    throw SecretServiceProgram.isMissing(obstacle)
  }

  /// The same. Returns why it can't be started; `nil` if it isn't needed, or this is that program.
  package func obstacle() -> Companion.Obstacle? {
    if self == .none || Program.secretService != nil { return nil }
    return Program.companionObstacle ?? Program.becomeCompanion(isTried: self == .examined)
  }
}

extension Program {
  // Set by the main thread, before there are others.
  nonisolated(unsafe) fileprivate(set) static var companionObstacle: Companion.Obstacle?

  /// The one place where `llavero` becomes `llavero-secret-service`. Returns only if that fails.
  fileprivate static func becomeCompanion(isTried: Bool) -> Companion.Obstacle {
    let obstacle = SecretServiceProgram.become(isTried: isTried)
    companionObstacle = obstacle
    return obstacle
  }
}
