import ArgumentParser
import EncryptedFile
import Keychain
import ToolCommands

struct ChangePassphraseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "passphrase", abstract: "Change the passphrase of the encrypted file",
    discussion: """
      You are asked for the former passphrase, unless something else opens the keychain here, and then for the new one \
      twice. Copies of the keychain that were made before still open with the former one. If that has leaked, run \
      'llavero rotate' as well, and change the secrets themselves.

        llavero passphrase
        llavero passphrase --passphrase-fd 3 --new-passphrase-fd 4 3< old 4< new
      """)

  @Option("The passphrase's slot, if there are several", value: "id")
  var slot: String?

  @OptionGroup var new: NewPassphraseOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func run() throws(KeychainError) {
    let file = try keychain.ownFile()
    let former = try formerSlot(in: file)
    try file.unlockForChangingSlots()
    let passphrase = try new.passphrase(of: keychain.selection, at: file.location)
    let id = try file.replacePassphrase(of: former, with: passphrase)
    StandardStreams.say("copies of the keychain made before still open with the former passphrase")
    StandardStreams.say("hint: if it has leaked, run 'llavero rotate' and change the secrets themselves")
    try output.write(SlotOutput.report(id, .passphrase))
  }

  /// The slot whose passphrase is replaced.
  private func formerSlot(in file: EncryptedFileKeychain) throws(KeychainError) -> String {
    let slots = try file.passphraseSlots()
    if let slot {
      guard slots.contains(slot) else { throw .slot(.notFound(id: slot)) }
      return slot
    }
    guard let first = slots.first else {
      throw .failure(
        "the keychain has no passphrase", hint: "add one with 'llavero slot add passphrase'",
        status: .nothingMatched)
    }
    if slots.count > 1 {
      throw .failure(
        "the keychain has \(slots.count) passphrases: \(slots.joined(separator: ", "))",
        hint: "name one with --slot", status: .usage)
    }
    return first
  }
}
