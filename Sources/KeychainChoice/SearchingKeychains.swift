package import EncryptedFile
package import Keychain
package import PrivateFiles

extension KeychainOpener {
  /// Adds the other keychains of the search list to one that is open.
  ///
  /// - Parameters:
  ///   - list: the search list; empty if a keychain was named.
  ///   - prepare: called with each keychain of the list when it is opened.
  ///   - onUnusable: called once for each keychain that can't be used, while another one answers.
  ///   - onAdded: called after an item was added.
  ///   - onHidden: told each time whether hiding or revealing survives a loss of power.
  ///   - onHiding: called with a keychain's name and those of its items that are hidden from now on.
  package func adding(
    _ list: KeychainList, to open: OpenKeychain, prepare: @escaping (OpenKeychain) -> Void = { _ in },
    onUnusable: @escaping (String, KeychainError) -> Void, onAdded: @escaping () -> Void = {},
    onHidden: @escaping (Durability) -> Void = { _ in },
    onHiding: @escaping (String, [Item]) -> Void = { _, _ in }
  ) -> OpenKeychain {
    // A tool must not erase what others use, too, even if it is the only keychain.
    if list.keychains.isEmpty, !open.choice.kind.isShared { return open }
    let listed = list.order(newItemsIn: open.choice.keychain)
    if listed.count < 2, !open.choice.kind.isShared { return open }
    let members = listed.map { keychain in
      KeychainSearchList.Member(keychain.name, isShared: keychain.kind.isShared) {
        () throws(KeychainError) in
        if keychain.name == open.choice.name { return open.own }
        let other = try self.open(KeychainChoice(keychain, reason: open.choice.reason))
        prepare(other)
        return other.own
      }
    }
    var searching = open
    searching.list = KeychainSearchList(
      members, newItemsIn: open.choice.name, hiding: HiddenItemFile(in: location.stateFolder, tell: onHidden),
      onUnusable: onUnusable, onHiding: onHiding, onAdded: onAdded)
    return searching
  }
}

extension VaultLocation {
  /// The location of the encrypted file of a keychain.
  ///
  /// A listed one has a folder of its own, given as an absolute path, or `keychains/NAME` beside the user's own file
  /// if it is shared through git. This machine's own part is in `keychains/NAME` of the state folder.
  ///
  /// - Throws: ``KeychainError`` for a setting unknown to encrypted files.
  package func of(_ keychain: ListedKeychain) throws(KeychainError) -> VaultLocation {
    if keychain.isBuiltIn { return self }
    let known = keychain.kind.descriptor.fileSettings
    for option in keychain.options where !known.contains(option.name) {
      throw .choice(.unusableOption(keychain: keychain.name, option: option.name))
    }
    return VaultLocation(
      vaultFolder: keychain.kind.hasRepository ? vaultFolder + "/keychains/" + keychain.name : keychain.place,
      stateFolder: stateFolder + "/keychains/" + keychain.name)
  }
}

extension ListedKeychain {
  /// Checks that this machine's identity opens the keychain, if it is shared through git.
  ///
  /// - Parameter file: the copy on this machine.
  /// - Throws: `KeychainError.notMember` if it opens nothing; any error of reading.
  package func checkMembership(in file: EncryptedFileKeychain) throws(KeychainError) {
    guard kind.hasRepository, let identity = value(of: Self.identityOption) else { return }
    try file.checkMembership(of: name, identity: identity, label: value(of: Self.labelOption))
  }

  /// Has each change of the copy on this machine check the name first, if the keychain is shared through git: its
  /// folders are found by the name alone.
  package func checkName(atChangesOf file: EncryptedFileKeychain, in stateFolder: String) {
    guard kind.hasRepository else { return }
    file.checkName = { () throws(KeychainError) in try checkName(in: stateFolder) }
  }

  /// Checks that the name still is this keychain's: another process may have removed it from the list since, or given
  /// the name to another. A keychain's files on this machine are found by its name.
  ///
  /// - Throws: `KeychainError.unavailable` if it isn't.
  package func checkName(in stateFolder: String) throws(KeychainError) {
    if isBuiltIn { return }
    let listed = try KeychainList.read(in: stateFolder).keychain(named: name)
    guard listed?.kind == kind, listed?.place == place,
      listed?.value(of: Self.branchOption) == value(of: Self.branchOption)
    else {
      throw .unavailable(
        reason: listed == nil
          ? "\(name) was taken from the list meanwhile" : "\(name) has become another keychain meanwhile")
    }
  }

  /// The setting for the path of the identity file that opens an encrypted file.
  package static let identityOption = "identity"
  /// The setting for the branch of the git repository of a shared keychain.
  package static let branchOption = "branch"
  /// The setting for this person's label, as members of a shared keychain see it.
  package static let labelOption = "label"
}
