package import Age
package import Bytes
package import Keychain

/// The ways into a vault whose file lies anywhere, as in a backup: the slots in its own header.
package struct SlotsOfFile {
  private let header: Header
  private let stanzas: VaultStanzas
  private let path: String
  private let location: VaultLocation

  /// `nil` if the file isn't a vault.
  ///
  /// - Parameter stateFolder: that of this machine's own files, whose notes on slots count.
  package init?(_ file: borrowing Secret, at path: String, stateFolder: String) {
    let parsed = try? file.withUnsafeBytes { (bytes) throws(AgeError) in try Header(parsing: bytes) }
    guard let parsed, let stanzas = try? VaultStanzas(parsed.stanzas, path: path) else { return nil }
    header = parsed
    self.stanzas = stanzas
    self.path = path
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    location = VaultLocation(vaultFolder: folder, stateFolder: stateFolder)
  }

  /// The kinds of slots that a person can type what opens.
  package var typedKinds: Set<SlotKind> { Set(stanzas.slots.map(\.kind).filter(\.isTyped)) }

  /// Whether a copy of a slot, by its path, is of one that the file still has.
  package func have(copy path: String) -> Bool {
    stanzas.slots.contains { path.hasSuffix("/\($0.id)\(VaultStanzas.Slot.fileExtension)") }
  }

  /// The vault's identity; `nil` if nothing here opens a slot, and nothing was typed.
  ///
  /// - Parameters:
  ///   - files: the files of identities and ssh keys to try, if they exist.
  ///   - passphrase: asks for a passphrase or a recovery code.
  ///   - onMistypedCode: called before a mistyped recovery code is asked for again.
  /// - Throws: ``KeychainError/promptDismissed``; ``KeychainError/wrongPassphrase(path:)``;
  ///   ``KeychainError/mistypedRecoveryCode(groups:)``; ``KeychainError/damaged(path:detail:)``; what reading a file of
  ///   identities throws. A path is the file's own, never that of a keychain in use.
  package func identity(
    openedBy files: [String], passphrase: @escaping PassphraseSource,
    onMistypedCode: @escaping (_ groups: [Int]) -> Void
  ) throws(KeychainError) -> (any Identity)? {
    var openers = SlotOpeners()
    openers.otherIdentities = files
    let unlocking = Unlocking(
      location: location, passphrase: passphrase, maximumWorkFactor: 20,
      respondent: { .nobody }, onWaiting: {}, onMistypedCode: onMistypedCode, openers: openers)
    do throws(KeychainError) {
      var fault: KeychainError?
      if let opened = try unlocking.openWithoutAsking(header, stanzas, &fault) { return opened.key.identity }
      return typedKinds.isEmpty ? nil : try unlocking.openByAsking(header, stanzas, nil).key.identity
    } catch .locked {
      return nil
    } catch {
      throw error.naming(path, inPlaceOf: location.vaultFile)
    }
  }
}
