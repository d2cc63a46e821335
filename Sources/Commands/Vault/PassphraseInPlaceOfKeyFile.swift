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
    StandardStreams.say("the passphrase opens the keychain from now on")
    try removeKeyFile()
    return id
  }

  /// Removes the key file, if there is one and nobody says no.
  ///
  /// - Throws: ``KeychainError`` if it can't be removed.
  func removeKeyFile() throws(KeychainError) {
    guard try file.slots()?.contains(where: { $0.kind == .identityFile }) == true else { return }
    let path = file.location.identityFile
    let isWanted =
      removesKeyFile
      || selection.confirms(
        "The key in \(path) opens it without a question. Remove that key file, so that you are asked?")
        ?? false
    guard isWanted else {
      StandardStreams.say("the key in \(path) still opens it without the passphrase")
      return StandardStreams.say(
        "hint: \(command: "llavero", "slot", "remove", SlotSummary.identityFileID) removes that")
    }
    try file.removeSlot(SlotSummary.identityFileID)
    StandardStreams.say("the key file is gone; without the passphrase nobody opens the keychain")
    StandardStreams.say(
      "hint: \(command: "llavero", "slot", "add", "recovery") makes a code to keep on paper, should you forget it"
    )
  }
}
