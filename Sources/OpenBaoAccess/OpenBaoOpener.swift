package import EncryptedFile
package import Keychain
package import OpenBao
import Renewing

/// Opens keychains in OpenBao or Vault.
package struct OpenBaoOpener {
  /// The keychain's name in the search list: letters, digits and `-._`.
  package let name: String
  /// Where it is.
  package let settings: OpenBaoSettings
  private let location: VaultLocation
  private let variable: (String) -> String?
  private let personal: () throws(KeychainError) -> (any KeychainStore)?

  /// - Parameters:
  ///   - name: the keychain's name.
  ///   - settings: what a person has said of it.
  ///   - location: the person's own folders.
  ///   - variable: returns the value of an environment variable.
  ///   - personal: opens the person's own keychain, which has what logs in; `nil` if there is none.
  package init(
    _ name: String, _ settings: OpenBaoSettings, at location: VaultLocation,
    variable: @escaping (String) -> String? = VaultLocation.environmentVariable,
    personal: @escaping () throws(KeychainError) -> (any KeychainStore)?
  ) {
    self.name = name
    self.settings = settings.completed(by: variable)
    self.location = location
    self.variable = variable
    self.personal = personal
  }

  /// The folder with this machine's files about such keychains.
  package static func folder(at location: VaultLocation) -> String { location.stateFolder + "/openbao" }

  /// Opens the keychain with its copies on this machine, unless it is to have none. No request is sent before something is
  /// asked for.
  ///
  /// - Parameters:
  ///   - refreshLater: has another process renew the copies of folders; see ``CopiedKeychain/refresh(_:)``.
  /// - Throws: ``KeychainError/openBao(server:_:)`` if the program that has the network isn't there, and there are no copies.
  package func open(
    refreshLater: @escaping ([String]) -> Void, onNotice: @escaping (CopiedKeychain.Notice) -> Void
  ) throws(KeychainError) -> any KeychainStore {
    let server = try open()
    if settings.copies.maximumAge == 0 { return server }
    return copied(server, refreshLater, onNotice)
  }

  /// The keychain with its copies, for the process that renews them; `nil` if it is to have none.
  ///
  /// - Throws: as ``open()`` does.
  package func openToRefresh() throws(KeychainError) -> CopiedKeychain? {
    if settings.copies.maximumAge == 0 { return nil }
    return copied(try open(), { _ in }, { _ in })
  }

  private func copied(
    _ server: OpenBaoKeychain, _ refreshLater: @escaping ([String]) -> Void,
    _ onNotice: @escaping (CopiedKeychain.Notice) -> Void
  ) -> CopiedKeychain {
    CopiedKeychain(
      server, settings, in: Self.folder(at: location) + "/" + name, refreshLater: refreshLater,
      onNotice: onNotice)
  }

  /// Opens the keychain. No request is sent before something is asked for.
  ///
  /// - Throws: ``KeychainError/openBao(server:_:)`` if the program that has the network isn't there.
  package func open() throws(KeychainError) -> OpenBaoKeychain {
    guard let transport = CompanionTransport(settings.setup) else {
      throw .openBao(server: settings.server.name, .noNetworkProgram)
    }
    let session = OpenBaoSession(
      with: settings.server, over: transport, by: settings.login,
      PersonalCredentials(settings, variable: variable, personal: personal),
      memory: ServerMemoryFile(in: Self.folder(at: location), of: name, at: settings.server))
    return OpenBaoKeychain(session)
  }
}
