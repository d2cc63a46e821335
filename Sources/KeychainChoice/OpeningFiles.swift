package import EncryptedFile
package import Keychain

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

extension KeychainEnvironment {
  /// The encrypted file.
  ///
  /// - Parameters: those of ``EncryptedFile/EncryptedFileKeychain``, and `mustExist`: whether its absence is an
  ///   error even without traces of it.
  /// - Throws: ``KeychainChoiceFault/unusableSetting(name:_:)``
  package func encryptedFile(
    at location: VaultLocation, passphrase: @escaping PassphraseSource,
    respondent: @escaping () -> PassphraseRespondent, cache: UnlockCache, openers: SlotOpeners,
    mustExist: Bool = false, onNotice: @escaping (EncryptedFileKeychain.Notice) -> Void
  ) throws(KeychainError) -> EncryptedFileKeychain {
    try checkPrompt()
    return EncryptedFileKeychain(
      at: location, passphrase: passphrase, respondent: respondent, cache: cache, openers: openers,
      patience: try patience(), onNotice: onNotice,
      remembered: {
        mustExist ? location.vaultFile : RememberedKeychain.vault(in: location.stateFolder)
      })
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
