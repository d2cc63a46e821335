package import EncryptedFile
package import Forwarding
package import Keychain

/// What opens the chosen keychain. There are two: `ProgramOpener` for llavero's own programs, and `LibraryOpener`
/// for those that link the library. Each knows its own settings, and how to open each kind.
package protocol KeychainOpener: AnyObject {
  /// The person's own folders.
  var location: VaultLocation { get }
  /// Whether somebody has said that a keychain is forwarded here, so that none of this machine's replaces it.
  var mustBeForwarded: Bool { get }

  func openFile(_ keychain: ListedKeychain) throws(KeychainError) -> EncryptedFileKeychain
  func openSecretService() throws(KeychainError) -> any DesktopKeychain
  func openForwarded() throws(KeychainError) -> ForwardedKeychain
  func openRemote(_ keychain: ListedKeychain) throws(KeychainError) -> any RemoteKeychain
}

extension KeychainOpener {
  /// Opens the chosen keychain. If none was chosen, opens one that is forwarded to this machine, else a Secret Service
  /// that answers in time and has a persistent collection, else the encrypted file.
  ///
  /// - Throws: ``KeychainError`` if the chosen keychain can't be used. Another never replaces it.
  package func openChosen(_ choice: KeychainChoice?) throws(KeychainError) -> OpenKeychain {
    guard let choice else {
      if let forwarded = try openIfForwarded() { return forwarded }
      return try openWhatAnswers()
    }
    let descriptor = choice.kind.descriptor
    let own = try descriptor.open(choice.keychain, by: self)
    if let kind = descriptor.served(by: own) { return try openServed(kind) }
    return opened(choice, own)
  }

  /// Opens the keychain that is forwarded to this machine; `nil` if none is.
  ///
  /// - Throws: ``KeychainError`` for settings that can't be understood, and if it must be there and isn't.
  package func openIfForwarded() throws(KeychainError) -> OpenKeychain? {
    do throws(KeychainError) {
      return try openChosen(KeychainChoice(kind: .forwarded, reason: .isForwarded))
    } catch {
      guard error.fault(ForwardingFault.self) != nil, !mustBeForwarded else { throw error }
      return nil
    }
  }

  /// The same without a forwarded one.
  ///
  /// - Throws: ``KeychainError`` if it can't be used.
  package func openWhatAnswers() throws(KeychainError) -> OpenKeychain {
    // A choice may be remembered in a home that isn't there.
    try location.refuseMissingHome()
    let why: KeychainError
    do throws(KeychainError) {
      let keychain = try openSecretService()
      if let kind = KeychainKind.secretService.descriptor.served(by: keychain) {
        return try openServed(kind)
      }
      if try keychain.keepsNewItems() {
        return opened(KeychainChoice(kind: .secretService, reason: .answers), keychain)
      }
      why = .noCollection(nil)
    } catch {
      // Invalid settings are always an error, and so is llavero's own service that can't be reached.
      if error.fault(ForwardingFault.self) != nil || error.fault(KeychainChoiceFault.self) != nil {
        throw error
      }
      why = error
    }
    return try openChosen(KeychainChoice(kind: .file, reason: .noService(why)))
  }

  private func openServed(_ kind: KeychainKind) throws(KeychainError) -> OpenKeychain {
    try openChosen(KeychainChoice(kind: kind, reason: .isServed))
  }

  private func opened(_ choice: KeychainChoice, _ own: any KeychainStore) -> OpenKeychain {
    OpenKeychain(choice: choice, location: location, own: own)
  }
}
