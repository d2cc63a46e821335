package import Bytes
import CLinux
package import EncryptedFile
package import Forwarding
import Glibc
package import Keychain

/// The environment variables that select the keychain and control its use.
package struct KeychainEnvironment {
  private let variable: (String) -> String?

  /// - Parameter variable: returns the present value of a variable.
  package init(_ variable: @escaping (String) -> String? = VaultLocation.environmentVariable) {
    self.variable = variable
  }

  /// A copy of the present environment, which later changes, perhaps by another thread, don't affect.
  package static func captured() -> KeychainEnvironment {
    var variables: [String: String] = [:]
    var next = environ
    while let entry = next.pointee {
      let parts = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      // Other variables of many programs contain secrets.
      if parts.count == 2, isOfInterest(parts[0]) { variables[String(parts[0])] = String(parts[1]) }
      next += 1
    }
    return KeychainEnvironment { [variables] in variables[$0] }
  }

  private static func isOfInterest(_ name: Substring) -> Bool {
    name.hasPrefix("LLAVERO_") || name.hasPrefix("XDG_") || name == "HOME" || name == "CREDENTIALS_DIRECTORY"
      || name == "DBUS_SESSION_BUS_ADDRESS" || name == "SSH_AUTH_SOCK"
  }

  /// The value of a variable; `nil` if it isn't set or is empty.
  package func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }

  // MARK: Choice

  /// `LLAVERO_KEYCHAIN`: the name of a kind of keychain.
  package var keychain: String? { value("LLAVERO_KEYCHAIN") }

  ///
  /// - Throws: the errors of ``VaultLocation/init(environment:)``.
  package func location() throws(KeychainError) -> VaultLocation { try VaultLocation(environment: variable) }

  // MARK: Asking and waiting

  private static let prompt = "LLAVERO_PROMPT"

  /// `LLAVERO_PROMPT`: whether the user must not be asked. Any word forbids it, even one that isn't understood.
  package var forbidsPrompts: Bool { value(Self.prompt) != nil }

  /// - Throws: ``KeychainChoiceFault/unusableSetting(name:_:)`` if `LLAVERO_PROMPT` is another word than `never`.
  func checkPrompt() throws(KeychainError) {
    guard let word = value(Self.prompt), word != "never" else { return }
    throw .choice(.unusableSetting(name: Self.prompt, .noPromptWord))
  }

  /// `LLAVERO_LOCK_TIMEOUT`: how long a writer waits for others, in seconds.
  ///
  /// - Throws: ``KeychainChoiceFault/unusableSetting(name:_:)`` if it isn't a whole number from 0 to 86,400.
  package func patience() throws(KeychainError) -> Int {
    let name = "LLAVERO_LOCK_TIMEOUT"
    guard let text = value(name) else { return 60 }
    guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let seconds = Int(text), 0...86_400 ~= seconds else {
      throw .choice(.unusableSetting(name: name, .noWholeSeconds))
    }
    return seconds
  }

  /// A variable in seconds as milliseconds; `nil` if it isn't set or is empty.
  ///
  /// - Throws: ``KeychainChoiceFault/unusableSetting(name:_:)`` if it isn't between 0.001 and 86,400 seconds.
  package func milliseconds(_ name: String) throws(KeychainError) -> Int? {
    guard let text = value(name) else { return nil }
    guard let seconds = Double(text), 0.001...86_400 ~= seconds else {
      throw .choice(.unusableSetting(name: name, .noSeconds))
    }
    return Int(seconds * 1000)
  }

  // MARK: The encrypted file

  /// Whether `LLAVERO_UNLOCK_CACHE` says that an encrypted file with a passphrase isn't kept unlocked.
  package var keepsNothingUnlocked: Bool {
    value("LLAVERO_UNLOCK_CACHE") == UnlockCache.Mode.none.rawValue
  }

  /// The cache that keeps an encrypted file with a passphrase unlocked, as set by `LLAVERO_UNLOCK_CACHE`,
  /// `LLAVERO_UNLOCK_IDLE` and `LLAVERO_UNLOCK_FOR`.
  ///
  /// - Parameters:
  ///   - idle: the idle time in seconds, in place of the environment's.
  ///   - total: the total time in seconds, in place of the environment's.
  ///   - program: becomes an agent if one is needed; without it only a running agent is used.
  /// - Throws: ``KeychainChoiceFault/unusableSetting(name:_:)``
  package func unlockCache(
    at location: VaultLocation, idle: Int? = nil, total: Int? = nil, program: AgentProgram?
  ) throws(KeychainError) -> UnlockCache {
    let name = value("LLAVERO_UNLOCK_CACHE") ?? UnlockCache.Mode.agent.rawValue
    guard let mode = UnlockCache.Mode(rawValue: name) else {
      throw .choice(.unusableSetting(name: "LLAVERO_UNLOCK_CACHE", .noUnlockCacheMode))
    }
    let standard = UnlockLimits()
    let (givenIdle, givenTotal) = (try seconds("LLAVERO_UNLOCK_IDLE"), try seconds("LLAVERO_UNLOCK_FOR"))
    let limits = UnlockLimits(
      idle: idle ?? givenIdle ?? standard.idle, total: total ?? givenTotal ?? standard.total)
    return UnlockCache(
      mode: mode, limits: limits, runtimeFolder: variable("XDG_RUNTIME_DIR"),
      stateFolder: location.stateFolder, program: program)
  }

  private func seconds(_ name: String) throws(KeychainError) -> Int? {
    guard let text = value(name) else { return nil }
    return try DurationText.seconds(text, of: name)
  }

  /// The ways to open the file without asking anybody: the identity of `LLAVERO_IDENTITY`, else the user's ssh key.
  /// The caller adds programs.
  package var openers: SlotOpeners {
    var openers = SlotOpeners()
    if let path = value("LLAVERO_IDENTITY") {
      openers.otherIdentities = [path]
    } else if let home = variable("HOME"), home.hasPrefix("/") {
      openers.otherIdentities = [home + "/.ssh/id_ed25519"]
    }
    return openers
  }

  /// The same for a keychain of the search list, its own identity first.
  package func openers(of keychain: ListedKeychain) -> SlotOpeners {
    var openers = openers
    if let path = keychain.value(of: ListedKeychain.identityOption) {
      openers.otherIdentities.insert(path, at: 0)
    }
    return openers
  }

  /// `CREDENTIALS_DIRECTORY`: systemd's folder of credentials for this service.
  package var credentialsFolder: String? { variable("CREDENTIALS_DIRECTORY") }

  // MARK: The Secret Service

  /// `DBUS_SESSION_BUS_ADDRESS`: the D-Bus address of the session bus.
  package var busAddress: String? { value("DBUS_SESSION_BUS_ADDRESS") }

  /// The settings for the Secret Service from `LLAVERO_COLLECTION`, `LLAVERO_SECRET_SERVICE_SESSION`,
  /// `LLAVERO_PROBE_TIMEOUT` and `LLAVERO_CALL_TIMEOUT`.
  ///
  /// - Parameters:
  ///   - collection: the collection, in place of the environment's.
  ///   - session: `encrypted` or `plain`, in place of the environment's.
  ///   - mayPrompt: whether the service may prompt, unless the environment forbids it.
  /// - Throws: ``KeychainError``
  package func secretService(
    at location: VaultLocation, collection: String? = nil, session: String? = nil, mayPrompt: Bool
  ) throws(KeychainError) -> DesktopKeychainSettings {
    try checkPrompt()
    var settings = DesktopKeychainSettings()
    settings.collection = collection ?? value("LLAVERO_COLLECTION")
    if let remembered = try? RememberedKeychain.read(in: location.stateFolder) {
      settings.isChosen = remembered.name == KeychainKind.secretService.rawValue
    }
    switch session ?? variable("LLAVERO_SECRET_SERVICE_SESSION") ?? "encrypted" {
    case "encrypted": settings.isEncrypted = true
    case "plain": settings.isEncrypted = false
    default: throw .choice(.unknownSession)
    }
    settings.probeTimeout = try milliseconds("LLAVERO_PROBE_TIMEOUT") ?? settings.probeTimeout
    settings.callTimeout = try milliseconds("LLAVERO_CALL_TIMEOUT") ?? settings.callTimeout
    settings.mayPrompt = mayPrompt && !forbidsPrompts
    settings.lockFolder = location.stateFolder
    settings.patience = try patience()
    return settings
  }

  // MARK: A forwarded keychain

  /// The keychain forwarded to this machine: at the socket of `LLAVERO_FORWARD`, else of the agent in `SSH_AUTH_SOCK`.
  ///
  /// - Parameter tool: the tool's name for the other machine.
  /// - Throws: ``KeychainError/forwarding(_:)`` if none is there.
  package func forwardedKeychain(for tool: ByteString) throws(KeychainError) -> ForwardedKeychain {
    if let path = value("LLAVERO_FORWARD") {
      return try ForwardedKeychain(at: path, isNamed: true, tool: tool)
    }
    guard let path = value("SSH_AUTH_SOCK") else { throw .forwarding(.noSocket) }
    return try ForwardedKeychain(at: path, isNamed: false, tool: tool)
  }

  var mayNameForwarded: Bool { namesForwarded || value("SSH_AUTH_SOCK") != nil }

  package var namesForwarded: Bool { value("LLAVERO_FORWARD") != nil }

  /// The running program's name for another machine, if it links the library.
  package static var programName: ByteString {
    let name = String(cString: clinux_program_name()).utf8.prefix(ForwardRequest.maximumTool)
    let word = ByteString(name.map { 0x21...0x7e ~= $0 ? $0 : UInt8(ascii: "?") })
    return word.bytes.isEmpty ? "library" : word
  }
}
