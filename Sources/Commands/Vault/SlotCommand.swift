import ArgumentParser
import Bytes
import EncryptedFile
import Glibc
import Keychain
import KeychainChoice
import ToolCommands

struct SlotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "slot",
    abstract: "Show and change the ways to open the encrypted file",
    discussion: """
      One key opens the keychain. It is in a file on this machine, or in slots of the keychain itself. Each slot opens \
      in its own way: with a passphrase, a recovery code, an age or ssh key, or what a program prints.

        llavero slot list
        llavero slot add recovery                       (a code for a sheet of paper)
        llavero slot add passphrase
        llavero slot add recipient "$(cat ~/.ssh/id_ed25519.pub)"
        llavero slot add command -- pass show llavero
        llavero slot remove identity-file

      The last way in can't be removed. Earlier copies of the keychain still open in the ways they had.
      """,
    subcommands: [SlotListCommand.self, SlotAddCommand.self, SlotRemoveCommand.self])
}

struct SlotListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the ways to open the keychain",
    discussion: """
      Nobody is asked and no program is run; a locked keychain shows less. For scripts, --json prints an array of \
      objects:

        llavero slot list --json | jq -r '.[] | select(.kind == "recovery").id'
      """)

  @OptionGroup var dates: DateOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func run() throws(KeychainError) {
    let file = try keychain.existingFile { selection in
      selection.mayAsk = false
      selection.mayRunPrograms = false
    }
    let slots = try (file.slots() ?? [])
    try output.write(
      SlotOutput.report(slots, file.location), or: SlotOutput.table(slots, file.location, inUTC: dates.utc))
    if !output.json, StandardStreams.isTerminal(2), (try? file.isLocked()) == true {
      let unlocking: Hint = "\(commandOf: ["llavero", "unlock"] + keychain.words) first"
      StandardStreams.say(
        "the keychain is locked, so dates, labels and recipients aren't shown; \(unlocking)")
    }
  }
}

struct SlotRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a way to open the keychain",
    discussion: """
      'llavero slot list' shows the identifiers. identity-file is the key file of this machine: if you remove it and \
      have a passphrase, you are asked for that. On a terminal you are asked first.

      The removed slot still opens copies of the keychain that were made before. If a passphrase or a key has leaked, \
      run 'llavero rotate' as well: it makes a new key, which no removed slot opens.
      """)

  @Argument("The slot's identifier, or its kind if no other slot has that", value: "id")
  var id: String

  @Flag(name: .shortAndLong, help: "Don't ask")
  var yes = false

  @OptionGroup var keychain: KeychainOptions

  @OptionGroup var output: ChangeOutputOptions

  func run() throws(KeychainError) {
    let file = try keychain.ownFile()
    let id = try identifier(in: file)
    let slot = try file.slots()?.first { $0.id == id }
    if !yes, let slot, Terminal.ofPerson(mayAsk: keychain.selection.mayAskPerson) != nil {
      try file.checkRemoval(of: id)
      try confirm(slot, of: file)
    }
    try file.removeSlot(id)
    guard let slot else { return }
    try output.write(
      SlotOutput.report(id, slot.kind),
      saying: slot.kind == .identityFile
        ? SlotOutput.keyFileIsGone
        : "\(id) no longer opens the keychain")
  }

  /// The identifier, or that of the one slot of the kind that was named.
  ///
  /// - Throws: ``KeychainError`` if there is no such slot, which is said before anybody is asked, or several.
  private func identifier(in file: EncryptedFileKeychain) throws(KeychainError) -> String {
    if try file.hasSlot(id) { return id }
    let slots = try SlotKind.known(id).map { (kind) throws(KeychainError) in try file.slots(of: kind) }
    guard let slots, let first = slots.first else { throw .slot(.notFound(id: id)) }
    if slots.count > 1 {
      throw .failure(
        "the keychain has \(slots.count) slots of the kind \(id): \(slots.joined(separator: ", "))",
        hint: "name one of them; 'llavero slot list' shows which is which", status: .usage)
    }
    return first
  }

  /// Asks a person. Without one, the identifier says it all.
  private func confirm(_ slot: SlotSummary, of file: EncryptedFileKeychain) throws(KeychainError) {
    let question: TextForTerminal =
      slot.kind == .identityFile
      ? "Remove the key file \(path: file.location.identityFile) for good?" : "Remove this way in for good?"
    if keychain.selection.confirms(question, showing: SlotOutput.table([slot], file.location)) == false {
      throw .failure("nothing was removed", status: .nothingMatched)
    }
  }
}

extension KeychainOptions {
  /// Returns the encrypted file.
  ///
  /// - Parameter change: adjusts how it is unlocked.
  /// - Throws: ``KeychainError`` if it doesn't exist, or another kind of keychain is selected.
  func existingFile(_ change: (inout KeychainSelection) -> Void = { _ in }) throws(KeychainError)
    -> EncryptedFileKeychain
  {
    if let name = keychain, try !ListedKeychain.named(name).kind.isFile {
      throw .failure("only the encrypted file has slots", status: .usage)
    }
    var selection = selection
    change(&selection)
    let file = try selection.encryptedFile()
    if try !file.exists() {
      throw .failure(
        "there is no encrypted keychain yet", hint: "make one with 'llavero init'", status: .keychain)
    }
    return file
  }
}

extension KeychainOptions {
  /// Returns the encrypted file, which must be the person's own. The slots of a git-shared one are its members.
  ///
  /// - Parameter change: adjusts how it is unlocked.
  /// - Throws: ``KeychainError`` as ``existingFile(_:)`` does, and for a git-shared one.
  func ownFile(
    _ change: (inout KeychainSelection) -> Void = { _ in }
  ) throws(KeychainError) -> EncryptedFileKeychain {
    let file = try existingFile { selection in
      change(&selection)
      selection.changesSlots = true
    }
    if let name = file.sharing?.name {
      throw .failure(
        "the keychain \(name) is shared, and its members open it",
        hint:
          "see \(command: "llavero", "keychain", "member", "--help"); a removed member can't read later changes",
        status: .usage)
    }
    return file
  }
}

enum SlotOutput {
  static let keyFileIsGone: TextForTerminal =
    "the key file is gone; you are asked from now on, unless something else opens the keychain here"

  static func table(_ slots: [SlotSummary], _ location: VaultLocation, inUTC: Bool = false) -> TextForTerminal
  {
    let rows = slots.map { slot in
      [slot.id, slot.kind.name, added(slot, inUTC: inUTC), slot.remark(location)]
    }
    return columns([["ID", "KIND", "ADDED", ""]] + withTilde(rows), wrappedTo: TerminalStyle().width)
  }

  static func report(_ slots: [SlotSummary], _ location: VaultLocation) -> [JSONObject] {
    slots.map { slot in
      let path = slot.kind == .identityFile ? location.identityFile : slot.identityPath
      return report(slot.id, slot.kind) + [
        "added": slot.added, "label": slot.label, "recipient": slot.recipient, "identity": path,
        "command": slot.command, "damaged": slot.isDamaged.ifTrue,
      ]
    }
  }

  /// An added slot.
  static func report(_ id: String, _ kind: SlotKind) -> JSONObject { ["id": id, "kind": kind.name] }

  private static func added(_ slot: SlotSummary, inUTC: Bool) -> String {
    slot.added.map { dateText($0, inUTC: inUTC) } ?? "-"
  }
}

/// The absolute path, which stays valid when the working directory changes.
func absolutePath(_ path: String) -> String {
  if path.hasPrefix("/") { return path }
  guard let current = getcwd(nil, 0) else { return path }
  defer { free(current) }
  return String(cString: current) + "/" + path
}
