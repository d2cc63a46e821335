package import EncryptedFile
package import Keychain

/// Opens the keychain that was chosen: for the commands, for what tools call, and for programs that link the library.
package struct KeychainOpener {
  /// Where the encrypted file is.
  package let location: VaultLocation
  /// Opens the encrypted file.
  package let file: () throws(KeychainChoiceError) -> EncryptedFileKeychain
  /// Opens the desktop's Secret Service.
  package let desktop: () throws(KeychainChoiceError) -> any DesktopKeychain

  /// Takes the ways to open either kind.
  package init(
    at location: VaultLocation,
    file: @escaping () throws(KeychainChoiceError) -> EncryptedFileKeychain,
    desktop: @escaping () throws(KeychainChoiceError) -> any DesktopKeychain
  ) {
    self.location = location
    self.file = file
    self.desktop = desktop
  }

  /// Opens what was chosen. Where nothing was, a Secret Service that answers in time and has a collection that lasts is
  /// used, else the encrypted file.
  ///
  /// - Throws: ``KeychainChoiceError`` if the one that was chosen can't be used. Another is never used in its place.
  package func open(_ choice: KeychainChoice?) throws(KeychainChoiceError) -> OpenKeychain {
    guard let choice else { return try openWhatAnswers() }
    switch choice.kind {
    case .file: return opened(choice, .file(try file()))
    case .secretService: return opened(choice, .secretService(try desktop()))
    }
  }

  private func openWhatAnswers() throws(KeychainChoiceError) -> OpenKeychain {
    let why: KeychainError
    do throws(KeychainChoiceError) {
      let keychain = try desktop()
      if try keepsNewItems(keychain) {
        return opened(KeychainChoice(kind: .secretService, reason: .answers), .secretService(keychain))
      }
      why = .unavailable(reason: "the Secret Service has no collection that lasts")
    } catch {
      // What is wrong with the settings is wrong whichever keychain it is.
      guard case .keychain(let reason) = error else { throw error }
      why = reason
    }
    return opened(KeychainChoice(kind: .file, reason: .noService(why)), .file(try file()))
  }

  private func opened(_ choice: KeychainChoice, _ store: OpenKeychain.Store) -> OpenKeychain {
    OpenKeychain(choice: choice, location: location, store: store)
  }

  private func keepsNewItems(_ keychain: any DesktopKeychain) throws(KeychainChoiceError) -> Bool {
    do throws(KeychainError) {
      return try keychain.keepsNewItems()
    } catch {
      throw .keychain(error)
    }
  }
}

/// The keychain that is used.
package struct OpenKeychain {
  /// Either kind, for what only one of them can do.
  package enum Store {
    case file(EncryptedFileKeychain)
    case secretService(any DesktopKeychain)
  }

  /// Which it is, and why.
  package var choice: KeychainChoice
  /// Where the encrypted file is, be it this keychain or not.
  package let location: VaultLocation
  package let store: Store

  /// Takes a keychain that was opened, and why it is this one.
  package init(choice: KeychainChoice, location: VaultLocation, store: Store) {
    self.choice = choice
    self.location = location
    self.store = store
  }

  /// The Secret Service, if that is the keychain.
  package var secretService: (any DesktopKeychain)? {
    if case .secretService(let keychain) = store { keychain } else { nil }
  }

  /// The encrypted file, if that is the keychain.
  package var file: EncryptedFileKeychain? {
    if case .file(let keychain) = store { keychain } else { nil }
  }

  /// The keychain, whichever kind it is.
  package var keychain: any KeychainStore {
    switch store {
    case .file(let keychain): keychain
    case .secretService(let keychain): keychain
    }
  }

  /// Makes the choice last, once something has been stored.
  ///
  /// - Throws: ``KeychainError`` if it can't be written.
  package func writeChoice() throws(KeychainError) {
    try RememberedKeychain.write(
      choice.kind, vault: choice.kind == .file ? location.vaultFile : nil, in: location.stateFolder)
  }
}
