package import Keychain

/// Access to the Secret Service. Only `llavero-secret-service` provides it, because `llavero` is static, and libsecret
/// is not.
package struct SecretServiceAccess {
  package let open: (DesktopKeychainSettings) throws(KeychainError) -> any DesktopKeychain
  package let diagnose: (DesktopKeychainSettings) -> [Finding]
  /// Serves a keychain as the Secret Service until that ends. Returns why it can't be served.
  package let serve: (ServeOptions) -> KeychainError?
  /// The present provider of the Secret Service; `nil` if there is none, or no bus.
  package let owner: () -> (isOurs: Bool, program: String?)?
  /// Makes the session bus reread which programs it starts for which names.
  package let rereadActivation: () -> Void
  /// The programs that call llavero's own service; `nil` if it isn't running.
  package let callers: () -> ServedPrograms?

  package init(
    open: @escaping (DesktopKeychainSettings) throws(KeychainError) -> any DesktopKeychain,
    diagnose: @escaping (DesktopKeychainSettings) -> [Finding],
    serve: @escaping (ServeOptions) -> KeychainError?,
    owner: @escaping () -> (isOurs: Bool, program: String?)?, rereadActivation: @escaping () -> Void,
    callers: @escaping () -> ServedPrograms?
  ) {
    self.open = open
    self.diagnose = diagnose
    self.serve = serve
    self.owner = owner
    self.rereadActivation = rereadActivation
    self.callers = callers
  }
}

package struct ServeOptions {
  package var selection: KeychainSelection
  /// Whether to take the name away from another program, if that allows it.
  package var replaces: Bool
  /// After how many seconds without a call to lock the keychain.
  package var idle: Int?
  /// Whether to log what programs do.
  package var logs: Bool
  /// Whether to ask about each program and item.
  package var asks: Bool

  package init(_ selection: KeychainSelection, replaces: Bool, idle: Int?, logs: Bool, asks: Bool) {
    self.selection = selection
    self.replaces = replaces
    self.idle = idle
    self.logs = logs
    self.asks = asks
  }
}
