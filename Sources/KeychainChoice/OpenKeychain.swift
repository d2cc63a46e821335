package import EncryptedFile
package import Forwarding
package import Keychain
package import PrivateFiles

/// The keychain in use.
package struct OpenKeychain {
  /// A keychain of each kind, for operations that only one of them has.
  package enum Store {
    case file(EncryptedFileKeychain)
    case secretService(any DesktopKeychain)
    case forwarded(ForwardedKeychain)
    /// One on a server that other people use, too.
    case remote(any RemoteKeychain)
  }

  /// The keychain in use, and the reason for it. With a search list, it is the one that new items go to.
  package var choice: KeychainChoice
  /// The location of the encrypted file, whether or not it is this keychain.
  package let location: VaultLocation
  package let store: Store
  /// The search list, if there are other keychains and none was named.
  package var list: KeychainSearchList?

  /// Wraps an open keychain, with the reason for using it.
  package init(choice: KeychainChoice, location: VaultLocation, store: Store) {
    self.choice = choice
    self.location = location
    self.store = store
  }

  /// The Secret Service, if it is in use.
  package var secretService: (any DesktopKeychain)? {
    if case .secretService(let keychain) = store { keychain } else { nil }
  }

  /// The keychain of another machine, if it is in use.
  package var forwarded: ForwardedKeychain? {
    if case .forwarded(let keychain) = store { keychain } else { nil }
  }

  /// The keychain on a server, if it is in use.
  package var remote: (any RemoteKeychain)? {
    if case .remote(let keychain) = store { keychain } else { nil }
  }

  /// The encrypted file, if it is in use.
  package var file: EncryptedFileKeychain? {
    if case .file(let keychain) = store { keychain } else { nil }
  }

  /// What answers: the search list, else the keychain itself.
  package var keychain: any KeychainStore { list ?? own }

  /// The keychain in use, without others of the search list.
  package var own: any KeychainStore {
    switch store {
    case .file(let keychain): keychain
    case .secretService(let keychain): keychain
    case .forwarded(let keychain): keychain
    case .remote(let keychain): keychain
    }
  }

  /// An item of the keychain in use as it is shown where several are asked.
  package func named(_ item: Item) -> Item {
    guard list != nil, item.keychain == nil else { return item }
    var named = item
    named.keychain = choice.name
    return named
  }

  /// Has tokens renewed, unless the keychain is another machine's, which does it there.
  package func renew(with renewer: any SecretRenewing) {
    switch store {
    case .file(let keychain): keychain.renewer = renewer
    case .secretService(let keychain): keychain.renewer = renewer
    case .remote(let keychain): keychain.renewer = renewer
    case .forwarded: break
    }
  }

  /// Whether what makes tokens anew, such as an app's key, may be in the keychain that has an item. On a server,
  /// whoever may write it would decide for everybody what is sent where.
  package func keepsMinting(besides item: Item) -> Bool {
    guard let name = item.keychain, name != choice.name else { return remote == nil }
    let listed = (try? KeychainList.read(in: location.stateFolder))?.keychain(named: name)
    return listed?.kind != .openBao
  }

  /// Remembers the choice, after something has been stored, unless another process has chosen meanwhile. What another
  /// keychain of the list had already was not stored: a file that was never made must not be missed later.
  ///
  /// - Returns: whether the choice, which is remembered from now on, survives a loss of power; `nil` if it isn't.
  /// - Throws: ``KeychainError`` if it can't be written.
  package func writeChoice() throws(KeychainError) -> Durability? {
    if let file, try !file.isThere() { return nil }
    return try RememberedKeychain.writeFirst(
      choice.name, vault: choice.name == KeychainKind.file.rawValue ? location.vaultFile : nil,
      in: location.stateFolder)
  }
}
