package import EncryptedFile
package import Forwarding
package import Keychain

/// Opens the chosen keychain: for the commands, for tools, and for programs that link the library.
package struct KeychainOpener {
  package let location: VaultLocation
  package let file: (ListedKeychain) throws(KeychainError) -> EncryptedFileKeychain
  package let desktop: () throws(KeychainError) -> any DesktopKeychain
  package let forwarded: () throws(KeychainError) -> ForwardedKeychain
  package let remote: (ListedKeychain) throws(KeychainError) -> any RemoteKeychain
  /// Whether somebody has said that a keychain is forwarded here, so that none of this machine's replaces it.
  package var mustBeForwarded = false

  package init(
    at location: VaultLocation,
    file: @escaping (ListedKeychain) throws(KeychainError) -> EncryptedFileKeychain,
    desktop: @escaping () throws(KeychainError) -> any DesktopKeychain,
    forwarded: @escaping () throws(KeychainError) -> ForwardedKeychain,
    remote: @escaping (ListedKeychain) throws(KeychainError) -> any RemoteKeychain
  ) {
    self.location = location
    self.file = file
    self.desktop = desktop
    self.forwarded = forwarded
    self.remote = remote
  }

  /// Opens the chosen keychain. If none was chosen, opens one that is forwarded to this machine, else a Secret Service
  /// that answers in time and has a persistent collection, else the encrypted file.
  ///
  /// - Throws: ``KeychainError`` if the chosen keychain can't be used. Another never replaces it.
  package func open(_ choice: KeychainChoice?) throws(KeychainError) -> OpenKeychain {
    guard let choice else {
      if let forwarded = try openIfForwarded() { return forwarded }
      return try openWhatAnswers()
    }
    switch choice.kind {
    case .file, .git: return opened(choice, .file(try file(choice.keychain)))
    case .secretService:
      let keychain = try desktop()
      return try openIfOwn(keychain) ?? opened(choice, .secretService(keychain))
    case .forwarded: return opened(choice, .forwarded(try forwarded()))
    case .openBao: return opened(choice, .remote(try remote(choice.keychain)))
    }
  }

  /// Opens the keychain that is forwarded to this machine; `nil` if none is.
  ///
  /// - Throws: ``KeychainError`` for settings that can't be understood, and if it must be there and isn't.
  package func openIfForwarded() throws(KeychainError) -> OpenKeychain? {
    do throws(KeychainError) {
      return opened(KeychainChoice(kind: .forwarded, reason: .isForwarded), .forwarded(try forwarded()))
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
      let keychain = try desktop()
      if let own = try openIfOwn(keychain) { return own }
      if try keychain.keepsNewItems() {
        return opened(KeychainChoice(kind: .secretService, reason: .answers), .secretService(keychain))
      }
      why = .noCollection(nil)
    } catch {
      // Invalid settings are always an error, and so is llavero's own service that can't be reached.
      if error.fault(ForwardingFault.self) != nil || error.fault(KeychainChoiceFault.self) != nil {
        throw error
      }
      why = error
    }
    return opened(
      KeychainChoice(kind: .file, reason: .noService(why)), .file(try file(ListedKeychain(builtIn: .file))))
  }

  /// Opens the keychain behind llavero's own Secret Service; `nil` if another program provides it. Through the bus,
  /// every answer would take longer, and the server would be asked for what it asks.
  private func openIfOwn(_ keychain: any DesktopKeychain) throws(KeychainError) -> OpenKeychain? {
    guard keychain.isOwn else { return nil }
    if keychain.servesForwarded {
      return opened(KeychainChoice(kind: .forwarded, reason: .isServed), .forwarded(try forwarded()))
    }
    return opened(
      KeychainChoice(kind: .file, reason: .isServed), .file(try file(ListedKeychain(builtIn: .file))))
  }

  private func opened(_ choice: KeychainChoice, _ store: OpenKeychain.Store) -> OpenKeychain {
    OpenKeychain(choice: choice, location: location, store: store)
  }
}
