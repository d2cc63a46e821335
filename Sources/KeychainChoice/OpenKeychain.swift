package import EncryptedFile
package import Forwarding
package import Keychain
package import PrivateFiles

package struct OpenKeychain {
  /// By its kind, for operations that only one kind has.
  package enum Store {
    case file(EncryptedFileKeychain)
    case secretService(any DesktopKeychain)
    case forwarded(ForwardedKeychain)
    /// One on a server, shared with other people.
    case remote(any RemoteKeychain)
  }

  /// The keychain in use, and the reason for it. With a search list, new items go to it.
  package var choice: KeychainChoice
  /// The location of the encrypted file, whether or not it is this keychain.
  package let location: VaultLocation
  package let store: Store
  /// The search list, if there are other keychains and none was named.
  package var list: KeychainSearchList?

  package init(choice: KeychainChoice, location: VaultLocation, store: Store) {
    self.choice = choice
    self.location = location
    self.store = store
  }

  package var secretService: (any DesktopKeychain)? {
    if case .secretService(let keychain) = store { keychain } else { nil }
  }

  package var forwarded: ForwardedKeychain? {
    if case .forwarded(let keychain) = store { keychain } else { nil }
  }

  package var remote: (any RemoteKeychain)? {
    if case .remote(let keychain) = store { keychain } else { nil }
  }

  package var file: EncryptedFileKeychain? {
    if case .file(let keychain) = store { keychain } else { nil }
  }

  /// The keychain to ask: the search list, else the keychain itself.
  package var keychain: any KeychainStore { list ?? own }

  /// The keychain in use alone, without the search list.
  package var own: any KeychainStore {
    switch store {
    case .file(let keychain): keychain
    case .secretService(let keychain): keychain
    case .forwarded(let keychain): keychain
    case .remote(let keychain): keychain
    }
  }

  /// An item of the keychain in use, with the keychain's name if several are asked.
  package func named(_ item: Item) -> Item {
    guard list != nil, item.keychain == nil else { return item }
    var named = item
    named.keychain = choice.name
    return named
  }

  /// Has tokens renewed, unless the keychain is another machine's, which renews them there.
  package func renew(with renewer: any SecretRenewing) {
    switch store {
    case .file(let keychain): keychain.renewer = renewer
    case .secretService(let keychain): keychain.renewer = renewer
    case .remote(let keychain): keychain.renewer = renewer
    case .forwarded: break
    }
  }

  /// Whether the source of tokens, such as an app's key, may be in the keychain of an item. On a server, everybody
  /// with write access could decide what is sent where.
  package func keepsMinting(besides item: Item) -> Bool {
    guard let name = item.keychain, name != choice.name else { return remote == nil }
    let listed = (try? KeychainList.read(in: location.stateFolder))?.keychain(named: name)
    return listed?.kind != .openBao
  }

  /// Remembers the choice after something was stored, unless another process has chosen meanwhile. An item that
  /// another keychain of the list already had doesn't count: a file that was never made must not be missed later.
  ///
  /// - Returns: whether the choice, now remembered, survives a loss of power; `nil` if it isn't remembered.
  /// - Throws: ``KeychainError`` if it can't be written.
  package func writeChoice() throws(KeychainError) -> Durability? {
    if let file, try !file.isThere() { return nil }
    return try RememberedKeychain.writeFirst(
      choice.name, vault: choice.name == KeychainKind.file.rawValue ? location.vaultFile : nil,
      in: location.stateFolder)
  }
}
