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
  /// The programs that call llavero's own service; `nil` if it doesn't run.
  package let callers: () -> ServedPrograms?

  /// Creates an access from functions that open the keychain, that find out why it can't be opened, and that serve
  /// another one.
  package init(
    open: @escaping (DesktopKeychainSettings) throws(KeychainError) -> any DesktopKeychain,
    diagnose: @escaping (DesktopKeychainSettings) -> [Finding],
    serve: @escaping (ServeOptions) -> Failure?,
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

/// The programs that call `llavero serve`.
package struct ServedPrograms {
  /// The process that serves.
  package let process: Int?
  /// The programs, those that have called first before the others.
  package let callers: [Caller]

  /// A program that has called.
  package struct Caller {
    /// The file that it ran; `nil` if that isn't known.
    package let program: String?
    /// Its process; `nil` if that isn't known.
    package let process: Int?
    /// Whether it is connected.
    package let isConnected: Bool
    /// When it first called.
    package let since: Timestamp
    /// How many calls it has made.
    package let calls: Int

    /// Takes what is known of a program.
    package init(program: String?, process: Int?, isConnected: Bool, since: Timestamp, calls: Int) {
      (self.program, self.process, self.isConnected) = (program, process, isConnected)
      (self.since, self.calls) = (since, calls)
    }
  }

  /// Takes what is known of the service.
  package init(process: Int?, callers: [Caller]) {
    self.process = process
    self.callers = callers
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
  /// Whether to log what programs do.
  package var logs: Bool
  /// Whether to ask about each program and item.
  package var asks: Bool

  /// Takes the options.
  package init(_ selection: KeychainSelection, replaces: Bool, idle: Int?, logs: Bool, asks: Bool) {
    self.selection = selection
    self.replaces = replaces
    self.idle = idle
    self.logs = logs
    self.asks = asks
  }
}
