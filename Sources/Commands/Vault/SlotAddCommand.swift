import ArgumentParser
import Bytes
import EncryptedFile
import Keychain
import KeychainChoice
import ToolCommands

struct SlotAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a way to open the keychain",
    subcommands: [
      AddPassphraseCommand.self, AddRecoveryCommand.self, AddRecipientCommand.self,
      AddCommandSlotCommand.self,
      AddIdentityFileCommand.self,
    ])
}

struct AddPassphraseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "passphrase", abstract: "Add a passphrase",
    discussion: """
      You are asked for it twice on the terminal. Everything else that opens the keychain stays. If the key is in a \
      file, remove that to be asked from now on:

        llavero slot add passphrase
        llavero slot remove identity-file
      """)

  @OptionGroup var new: NewPassphraseOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: ChangeOutputOptions

  func run() throws(KeychainError) {
    let file = try keychain.ownFile()
    try file.unlockForChangingSlots()
    let passphrase = try new.passphrase(of: keychain.selection, at: file.location)
    let id = try file.addPassphrase(passphrase)
    try output.write(
      SlotOutput.report(id, .passphrase), saying: "the passphrase opens the keychain from now on")
  }
}

struct NewPassphraseOptions: ParsableArguments {
  @Option("Read the new passphrase from this descriptor", value: "n")
  var newPassphraseFd: Int32?

  func validate() throws {
    if let newPassphraseFd, newPassphraseFd < 0 {
      throw ValidationError("--new-passphrase-fd needs the number of a descriptor")
    }
  }

  func passphrase(
    of selection: KeychainSelection, at location: VaultLocation
  ) throws(KeychainError) -> Secret {
    var selection = selection
    selection.passphraseDescriptor = newPassphraseFd
    return try selection.passphraseSources(for: .vault(path: location.vaultFile))
      .newPassphrase(option: "--new-passphrase-fd")
  }
}

struct AddRecoveryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery", abstract: "Add a recovery code, and print it",
    discussion: """
      The code is shown only once. Write it down, and don't keep it where you keep copies of the keychain. Type it \
      when you are asked for a passphrase. Capitals, spaces and dashes don't matter, and typing errors are noticed.

        llavero slot add recovery
      """)

  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func run() throws(KeychainError) {
    let file = try keychain.ownFile()
    var shown: String?
    let json = output.json
    do throws(KeychainError) {
      try file.addRecoveryCode { (code) throws(KeychainError) in
        try StandardStreams.write(json ? RecoveryOutput.json(code) : RecoveryOutput.line(code))
        shown = code.id
      }
    } catch {
      guard let shown, Self.isWithout(slot: shown, file) else { throw error }
      let failure = error.failure
      throw .failure(
        "the code above opens nothing, because it couldn't be added: \(failure.message)", hint: failure.hint,
        status: failure.status)
    }
    StandardStreams.say(
      "write this code down now; it is not shown again, and is typed where a passphrase is asked for")
  }

  /// Whether the keychain is known not to have the slot: an error doesn't always mean that nothing was written.
  private static func isWithout(slot id: String, _ file: EncryptedFileKeychain) -> Bool {
    let slots = (try? file.slots()) ?? nil
    return slots?.contains { $0.id == id } == false
  }
}

struct AddRecipientCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recipient", abstract: "Add a key of age or ssh",
    discussion: """
      The key's identity then opens the keychain, and you are not asked. The file that has the identity is noted on \
      this machine only; on another machine, run the same command again. Without --identity, the file is the one that \
      LLAVERO_IDENTITY names, or else ~/.ssh/id_ed25519.

        llavero slot add recipient "$(cat ~/.ssh/id_ed25519.pub)"
        llavero slot add recipient age1... --identity /mnt/key.txt --label stick
      """)

  @Argument("The recipient: age1... or a line of an ssh public key", value: "recipient")
  var recipient: String

  @Option("The file with its identity on this machine", value: "file")
  var identity: String?

  @Option("What to call it in 'llavero slot list'", value: "text")
  var label: String?

  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: ChangeOutputOptions

  func run() throws(KeychainError) {
    let path = identity.map(absolutePath)
    let file = try keychain.ownFile { selection in selection.identity = path }
    // Ignore the line end that comes from a file.
    let text = recipient.withoutSpacesAround
    try EncryptedFileKeychain.checkRecipient(text)
    let id = try file.addRecipient(text, identity: path, label: label)
    let opening = ((try? file.summary()) ?? nil).flatMap { UnaskedOpening($0) }
    try output.write(SlotOutput.report(id, .recipient), saying: "the key opens the keychain from now on")
    if let note = opening?.note { output.say("note: \(note)") }
  }
}

struct AddCommandSlotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "command", abstract: "Add a passphrase that a program prints",
    discussion: """
      The program is run whenever the keychain is unlocked, without a shell and with nothing to read. What it prints, \
      without one final line feed, is the passphrase. The program is noted on this machine only, never in the \
      keychain; on another machine, run the same command again. Choose one that asks you: otherwise 'llavero lock' keeps \
      nobody out.

        llavero slot add command -- pass show llavero
      """)

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("The program and its arguments, after --", valueName: "program"))
  var command: [String] = []

  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: ChangeOutputOptions

  func validate() throws {
    if command.first?.isEmpty ?? true { throw ValidationError("Name a program after --.") }
  }

  func run() throws(KeychainError) {
    let file = try keychain.ownFile()
    let id = try file.addCommand(command)
    try output.write(
      SlotOutput.report(id, .command), saying: "what \(command[0]) prints opens the keychain from now on")
    if let note = UnaskedOpening.program(command[0]).note { output.say("note: \(note)") }
  }
}

struct AddIdentityFileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identity-file", abstract: "Put the key into a file of this machine",
    discussion: """
      From then on you are not asked for anything here. Anyone who can read your home directory can read the keychain.

        llavero slot add identity-file
      """)

  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: ChangeOutputOptions

  func run() throws(KeychainError) {
    let file = try keychain.ownFile()
    try file.addIdentityFile()
    try output.write(
      SlotOutput.report(SlotSummary.identityFileID, .identityFile),
      saying: "the key in \(file.location.identityFile) opens the keychain from now on")
  }
}

/// Output formats for recovery codes, which are shown only once.
enum RecoveryOutput {
  static func line(_ code: NewRecoveryCode) -> Secret {
    var text = code.text.copy()
    text.append("\n")
    return text
  }

  /// With a line feed.
  static func json(_ code: NewRecoveryCode) -> Secret {
    var json = JSONWriter()
    object(code, in: &json)
    return json.finishLine()
  }

  /// A line for each code, with the identifier of its slot.
  static func lines(_ codes: [NewRecoveryCode]) -> Secret {
    var text = Secret()
    for code in codes {
      text.append(contentsOf: ByteString(code.id))
      text.append("  ")
      text.append(line(code))
    }
    return text
  }

  /// With a line feed.
  static func json(_ codes: [NewRecoveryCode]) -> Secret {
    var json = JSONWriter()
    json.beginArray()
    for code in codes { object(code, in: &json) }
    json.endArray()
    return json.finishLine()
  }

  private static func object(_ code: NewRecoveryCode, in json: inout JSONWriter) {
    json.beginObject()
    json.member("id", ByteString(code.id))
    json.member("kind", ByteString(SlotKind.recovery.name))
    json.member("code", code.text)
    json.endObject()
  }
}
