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
  package func execIfNeeded() throws(KeychainError) {
    guard let obstacle = obstacleToExec(), self == .required else { return }
    throw KeychainError(
      "the Secret Service can't be used, because \(obstacle.reason); \(obstacle.remedy)", status: .keychain)
  }

  /// The same. Returns why it can't be started; `nil` if it isn't needed, or this is that program.
  package func obstacleToExec() -> Companion.Obstacle? {
    if self == .none || Program.secretService != nil { return nil }
    return SecretServiceCompanion.exec(isTried: self == .examined)
  }
}
