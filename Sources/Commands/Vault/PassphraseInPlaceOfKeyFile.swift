import EncryptedFile
import Keychain
import ToolCommands

/// Protects a keychain whose key is in a file of this machine: a passphrase opens it too, and then the key file can go.
struct PassphraseInPlaceOfKeyFile {
  let file: EncryptedFileKeychain
  let selection: KeychainSelection
  /// Whether to remove the key file without asking.
  var removesKeyFile = false
  /// Whether a person types the passphrase, who isn't asked for it again at once.
  let isTyped: Bool

  /// Adds a passphrase, and asks on a terminal whether to remove the key file. Returns the identifier of the new slot.
  ///
  /// - Parameter passphrase: gives the passphrase, once the keychain is known to be open.
  /// - Throws: ``KeychainError`` if the keychain can't be opened or written, or no passphrase is given; nothing is
  ///   removed then.
  func add(_ passphrase: () throws(KeychainError) -> Secret) throws(KeychainError) -> String {
    try file.unlockForChangingSlots()
    let id = try file.addPassphrase(try passphrase())
    switch try keyFileAfterAsking() {
    case .none: StandardStreams.say("the passphrase opens the keychain from now on")
    case .removed: try sayThatKeyFileIsGone()
    case .kept:
      sayThatKeyFileOpens(
        "the passphrase opens the keychain from now on, and so does the key in \(file.location.identityFile), without it"
      )
    }
    return id
  }

  /// Says that the passphrase is changed. Before that, removes the key file if it is to go, or somebody on a terminal says
  /// so.
  ///
  /// - Throws: ``KeychainError`` if it can't be removed.
  func sayThatPassphraseIsChanged() throws(KeychainError) {
    switch try keyFileAfterAsking() {
    case .none:
      StandardStreams.say("the passphrase is changed; copies made before still open with the former one")
      StandardStreams.say("hint: if it has leaked, run 'llavero rotate' and change the secrets themselves")
    case .removed: try sayThatKeyFileIsGone("the passphrase is changed; ")
    case .kept:
      sayThatKeyFileOpens(
        "the passphrase is changed; the key in \(file.location.identityFile) still opens the keychain without it"
      )
    }
  }

  private enum KeyFile { case none, removed, kept }

  /// Removes the key file if there is one and it is to go.
  private func keyFileAfterAsking() throws(KeychainError) -> KeyFile {
    guard try file.hasSlot(SlotSummary.identityFileID) else { return .none }
    let path = file.location.identityFile
    let question: TextForTerminal =
      "The key in \(path: path) opens it without a question. Remove that key file, so that you are asked?"
    guard removesKeyFile || selection.confirms(question) == true else { return .kept }
    try file.removeSlot(SlotSummary.identityFileID)
    // Without that, the passphrase is asked for at the next use.
    if isTyped { try? file.keepUnlocked() }
    return .removed
  }

  private func sayThatKeyFileIsGone(_ before: TextForTerminal = "") throws(KeychainError) {
    StandardStreams.say(before + SlotOutput.keyFileIsGone)
    if try !file.slots(of: .recovery).isEmpty {
      StandardStreams.say("your recovery code opens it as before")
    } else {
      StandardStreams.say(
        "hint: \(command: "llavero", "slot", "add", "recovery") makes a code to keep on paper, should you forget it"
      )
    }
  }

  private func sayThatKeyFileOpens(_ text: TextForTerminal) {
    StandardStreams.say(text)
    StandardStreams.say(
      "hint: \(command: "llavero", "slot", "remove", SlotSummary.identityFileID) removes that key")
  }
}
