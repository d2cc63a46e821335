package import Bytes
package import EncryptedFile
package import Keychain
package import OpenBao
import SignIn

package struct OpenBaoOpener {
  /// The keychain's name in the search list: letters, digits and `-._`.
  package let name: String
  package let settings: OpenBaoSettings
  private let location: VaultLocation
  private let isInsistent: Bool
  private let isForTool: Bool
  private let isListed: () -> Bool
  private let variable: (String) -> String?
  private let personal: () throws(KeychainError) -> (any KeychainStore)?

  /// - Parameters:
  ///   - location: the person's own folders.
  ///   - isInsistent: whether to ask a server that didn't answer a moment ago.
  ///   - isForTool: whether a tool waits for the answers, and so nobody could end it.
  ///   - isListed: returns whether the keychain is in the search list now.
  ///   - variable: returns the value of an environment variable.
  ///   - personal: opens the person's own keychain, which has the server's logins; `nil` if there is none.
  package init(
    _ name: String, _ settings: OpenBaoSettings, at location: VaultLocation, isInsistent: Bool,
    isForTool: Bool, isListed: @escaping () -> Bool,
    variable: @escaping (String) -> String? = VaultLocation.environmentVariable,
    personal: @escaping () throws(KeychainError) -> (any KeychainStore)?
  ) {
    self.name = name
    self.settings = settings.completed(by: variable)
    self.location = location
    self.isInsistent = isInsistent
    self.isForTool = isForTool
    self.isListed = isListed
    self.variable = variable
    self.personal = personal
  }

  /// The folder with this machine's files about such keychains.
  package static func folder(at location: VaultLocation) -> String { location.stateFolder + "/openbao" }

  /// Forgets everything about a keychain on this machine, its copies first.
  package static func forget(_ name: String, at location: VaultLocation) {
    StateFiles.forget(folder(at: location) + "/" + name)
  }

  /// Since when a keychain's server can't be used; `nil` if the last attempt succeeded.
  package static func outage(of name: String, at location: VaultLocation) -> Timestamp? {
    ContactNote(in: folder(at: location) + "/" + name).failingSince
  }

  private var folder: String { Self.folder(at: location) + "/" + name }

  /// Opens the keychain, with copies on this machine unless it is to have none. Sends no request before something is
  /// asked for.
  ///
  /// - Parameters:
  ///   - refreshLater: has another process renew the copies of folders; see ``CopiedKeychain/refresh(_:)``.
  ///   - onNotice: tells a person something.
  package func open(
    refreshLater: @escaping ([String]) -> Void, onNotice: @escaping (CopiedKeychain.Notice) -> Void
  ) -> any RemoteKeychain {
    if settings.copies.maximumAge > 0 { return copied(refreshLater, onNotice) }
    return opened(session(credentials), onNotice)
  }

  /// For the process that renews copies; `nil` if the keychain is to have none.
  package func openToRefresh() -> CopiedKeychain? {
    if settings.copies.maximumAge == 0 { return nil }
    return copied({ _ in }, { _ in })
  }

  private func copied(
    _ refreshLater: @escaping ([String]) -> Void, _ onNotice: @escaping (CopiedKeychain.Notice) -> Void
  ) -> CopiedKeychain {
    let credentials = credentials
    let session = session(credentials)
    return CopiedKeychain(
      opened(session, onNotice), session, settings, in: folder,
      isListed: isListed, tokenAtHand: { credentials.tokenAtHand() }, refreshLater: refreshLater,
      onNotice: onNotice)
  }

  private var credentials: PersonalCredentials {
    PersonalCredentials(settings, variable: variable, personal: personal)
  }

  private func session(_ credentials: PersonalCredentials) -> OpenBaoSession {
    OpenBaoSession(
      with: settings.server, over: CompanionTransport(settings.setup), by: settings.login, credentials,
      memory: ServerMemoryFile(in: folder, at: settings.server), isInsistent: isInsistent)
  }

  private func opened(
    _ session: OpenBaoSession, _ onNotice: @escaping (CopiedKeychain.Notice) -> Void
  ) -> OpenBaoKeychain {
    let keychain = OpenBaoKeychain(session)
    keychain.isForTool = isForTool
    let name = settings.server.name
    keychain.onPartialList = { onNotice(.listsPart(server: name)) }
    return keychain
  }
}

extension OpenBaoServer {
  var place: ByteString {
    var place = "\(namespace) \(mount) \(folder)"
    for address in addresses {
      place += " "
      place += address.text
    }
    return ByteString(place)
  }
}

extension OpenBaoSettings {
  /// The keychain's place and login, in one text.
  package var origin: ByteString {
    ByteString(
      server.place.bytes + [UInt8(ascii: " ")] + login.word.utf8 + [UInt8(ascii: " ")] + identity.bytes)
  }
}
