package import Age
package import Bytes
package import Keychain

/// The ways into a vault whose file lies anywhere, as in a backup: the slots in its own header.
package struct SlotsOfFile {
  private let header: Header
  private let stanzas: VaultStanzas
  private let location: VaultLocation

  /// `nil` if the file isn't a vault.
  ///
  /// - Parameter stateFolder: that of this machine's own files, whose notes on slots count.
  package init?(_ file: borrowing Secret, at path: String, stateFolder: String) {
    let parsed = try? file.withUnsafeBytes { (bytes) throws(AgeError) in try Header(parsing: bytes) }
    guard let parsed, let stanzas = try? VaultStanzas(parsed.stanzas, path: path) else { return nil }
    header = parsed
    self.stanzas = stanzas
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    location = VaultLocation(vaultFolder: folder, stateFolder: stateFolder)
  }

  /// Whether a person can type what opens it.
  package var areTyped: Bool { stanzas.slots.contains(where: \.kind.isTyped) }

  /// The vault's identity; `nil` if nothing here opens a slot.
  ///
  /// - Parameters:
  ///   - files: the files of identities and ssh keys to try, if they exist.
  ///   - passphrase: asks for a passphrase or a recovery code.
  package func identity(
    openedBy files: [String], passphrase: @escaping PassphraseSource
  ) throws(KeychainError) -> (any Identity)? {
    var openers = SlotOpeners()
    openers.otherIdentities = files
    let unlocking = Unlocking(
      location: location, passphrase: passphrase, maximumWorkFactor: 20,
      respondent: { .nobody }, onWaiting: {}, onMistypedCode: { _ in }, openers: openers)
    var fault: KeychainError?
    if let opened = try unlocking.openWithoutAsking(header, stanzas, &fault) { return opened.key.identity }
    if !areTyped { return nil }
    do throws(KeychainError) {
      return try unlocking.openByAsking(header, stanzas, nil).key.identity
    } catch .locked, .promptDismissed, .wrongPassphrase, .wrongPassphraseGiven {
      return nil
    }
  }
}
