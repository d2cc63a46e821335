package import Keychain
package import Terminals

/// Access to the Secret Service. Only `llavero-secret-service` provides it, because `llavero` is static, and libsecret
/// is not.
package struct SecretServiceAccess {
  package let open: (DesktopKeychainSettings) throws(KeychainError) -> any DesktopKeychain
  package let diagnose: (DesktopKeychainSettings) -> [Finding]
  /// Serves a keychain as the Secret Service until that ends. Returns why it can't be served.
  package let serve: (ServeOptions) -> Failure?
  /// Who provides the Secret Service now; `nil` if nobody does, or there is no bus.
  package let owner: () -> (isOurs: Bool, program: String?)?
  /// Makes the session bus read anew what it starts for which name.
  package let rereadActivation: () -> Void

  /// Creates an access from functions that open the keychain, that find out why it can't be opened, and that serve
  /// another one.
  package init(
    open: @escaping (DesktopKeychainSettings) throws(KeychainError) -> any DesktopKeychain,
    diagnose: @escaping (DesktopKeychainSettings) -> [Finding],
    serve: @escaping (ServeOptions) -> Failure?,
    owner: @escaping () -> (isOurs: Bool, program: String?)?, rereadActivation: @escaping () -> Void
  ) {
    self.open = open
    self.diagnose = diagnose
    self.serve = serve
    self.owner = owner
    self.rereadActivation = rereadActivation
  }
}

/// The options of `llavero serve`.
package struct ServeOptions {
  /// Which keychain is served.
  package var selection: KeychainSelection
  /// Whether to take the name away from another program, if that allows it.
  package var replaces: Bool
  /// After how many seconds without a call the keychain is locked.
  package var idle: Int?

  /// Takes the options.
  package init(_ selection: KeychainSelection, replaces: Bool, idle: Int?) {
    self.selection = selection
    self.replaces = replaces
    self.idle = idle
  }
}
