import EncryptedFile
import Keychain
import ToolCommands

/// Protects a keychain whose key is in a file of this machine: a passphrase opens it too, and then the key file can go.
struct PassphraseInPlaceOfKeyFile {
  let file: EncryptedFileKeychain
  let selection: KeychainSelection
  /// Whether to remove the key file without asking.
  var removesKeyFile = false

  /// Adds a passphrase, and asks on a terminal whether to remove the key file. Returns the identifier of the new slot.
  ///
  /// - Parameter passphrase: gives the passphrase, once the keychain is known to be open.
  /// - Throws: ``KeychainError`` if the keychain can't be opened or written, or no passphrase is given; nothing is
  ///   removed then.
  func add(_ passphrase: () throws(KeychainError) -> Secret) throws(KeychainError) -> String {
    try file.unlockForChangingSlots()
    let id = try file.addPassphrase(try passphrase())
    let path = file.location.identityFile
    if try !hasKeyFile() {
      StandardStreams.say("the passphrase opens the keychain from now on")
    } else if removesKeyFile
      || selection.confirms(
        "The key in \(path: path) opens it without a question. Remove that key file, so that you are asked?")
        == true
    {
      try file.removeSlot(SlotSummary.identityFileID)
      StandardStreams.say(SlotOutput.keyFileIsGone)
      if try file.slots()?.contains(where: { $0.kind == .recovery }) == true {
        StandardStreams.say("your recovery code opens it as before")
      } else {
        StandardStreams.say(
          "hint: \(command: "llavero", "slot", "add", "recovery") makes a code to keep on paper, should you forget it"
        )
      }
    } else {
      StandardStreams.say(
        "the passphrase opens the keychain from now on, and so does the key in \(path), without it")
      StandardStreams.say(
        "hint: \(command: "llavero", "slot", "remove", SlotSummary.identityFileID) removes that key")
    }
    return id
  }

  /// Removes the key file, if it is to go and there is one.
  ///
  /// - Throws: ``KeychainError`` if it can't be removed.
  func removeKeyFile() throws(KeychainError) {
    if removesKeyFile, try hasKeyFile() { try file.removeSlot(SlotSummary.identityFileID) }
  }

  private func hasKeyFile() throws(KeychainError) -> Bool {
    try file.slots()?.contains { $0.kind == .identityFile } ?? false
  }
}
