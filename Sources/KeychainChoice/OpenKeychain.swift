package import EncryptedFile
package import Forwarding
package import Keychain
package import PrivateFiles

/// A keychain that is open, and why it is in use.
package struct OpenKeychain {
  /// The keychain in use, and the reason for it. With a search list, new items go to it.
  package var choice: KeychainChoice
  /// The location of the encrypted file, whether or not it is this keychain.
  package let location: VaultLocation
  /// The keychain in use alone, without the search list.
  package let own: any KeychainStore
  /// The search list, if there are other keychains and none was named.
  package var list: KeychainSearchList?
  /// What renews the tokens of the keychain in use and of the others; a search list itself has none.
  package private(set) var renewer: (any SecretRenewing)?

  package init(choice: KeychainChoice, location: VaultLocation, own: any KeychainStore) {
    self.choice = choice
    self.location = location
    self.own = own
  }

  // For operations that only one kind has.

  package var file: EncryptedFileKeychain? { own as? EncryptedFileKeychain }
  package var secretService: (any DesktopKeychain)? { own as? any DesktopKeychain }
  package var forwarded: ForwardedKeychain? { own as? ForwardedKeychain }
  package var remote: (any RemoteKeychain)? { own as? any RemoteKeychain }

  /// The keychain to ask: the search list, else the keychain itself.
  package var keychain: any KeychainStore { list ?? own }

  /// An item of the keychain in use, with the keychain's name if several are asked.
  package func named(_ item: Item) -> Item {
    guard list != nil, item.keychain == nil else { return item }
    var named = item
    named.keychain = choice.name
    return named
  }

  /// Has tokens renewed, unless the keychain is another machine's, which renews them there.
  package mutating func renew(with renewer: any SecretRenewing) {
    self.renewer = renewer
    if !choice.kind.isOfOtherMachine { own.renewer = renewer }
  }

  /// Whether the source of tokens, such as an app's key, may be in the keychain of an item. On a server, everybody
  /// with write access could decide what is sent where.
  package func keepsMinting(besides item: Item) -> Bool {
    guard let name = item.keychain, name != choice.name else { return !choice.kind.isOnServer }
    let listed = (try? KeychainList.read(in: location.stateFolder))?.keychain(named: name)
    return listed?.kind.isOnServer != true
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
