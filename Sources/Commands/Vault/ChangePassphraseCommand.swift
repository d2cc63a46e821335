import ArgumentParser
import EncryptedFile
import Keychain
import ToolCommands

struct ChangePassphraseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "passphrase", abstract: "Protect the encrypted file with a passphrase, or change it",
    discussion: """
      If the keychain has no passphrase yet, you are asked for one. All that is in the keychain stays. If there is a \
      key file, which would still open it without the passphrase, you are then asked whether to remove that.

      If it has one, you are asked for that, unless something else opens the keychain here, and then for the new one \
      twice, and for the key file as before. Copies of the keychain that were made before still open with the former one. If that has leaked, run \
      'llavero rotate' as well, and change the secrets themselves.

        llavero passphrase
        llavero passphrase --passphrase-fd 3 --new-passphrase-fd 4 3< old 4< new
      """)

  @Option("The passphrase's slot, if there are several", value: "id")
  var slot: String?

  @Flag(help: "Remove the key file as well, without asking, so that it no longer opens the keychain")
  var removeKeyFile = false

  @OptionGroup var new: NewPassphraseOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func run() throws(KeychainError) {
    let file = try keychain.ownFile()
    let protection = PassphraseInPlaceOfKeyFile(
      file: file, selection: keychain.selection, removesKeyFile: removeKeyFile,
      isTyped: new.newPassphraseFd == nil)
    guard let former = try formerSlot(in: file) else {
      let id = try protection.add { () throws(KeychainError) in
        try new.passphrase(of: keychain.selection, at: file.location)
      }
      return try output.write(SlotOutput.report(id, .passphrase))
    }
    try file.unlockForChangingSlots()
    let passphrase = try new.passphrase(of: keychain.selection, at: file.location)
    let id = try file.replacePassphrase(of: former, with: passphrase)
    try protection.sayThatPassphraseIsChanged()
    try output.write(SlotOutput.report(id, .passphrase))
  }

  /// The slot whose passphrase is replaced; `nil` if the keychain has none yet.
  private func formerSlot(in file: EncryptedFileKeychain) throws(KeychainError) -> String? {
    let slots = try file.passphraseSlots()
    if let slot {
      guard slots.contains(slot) else { throw .slot(.notFound(id: slot)) }
      return slot
    }
    guard let first = slots.first else { return nil }
    if slots.count > 1 {
      throw .failure(
        "the keychain has \(slots.count) passphrases: \(slots.joined(separator: ", "))",
        hint: "name one with --slot", status: .usage)
    }
    return first
  }
}
