import ArgumentParser
import EncryptedFile
import Glibc
import Keychain
import ToolCommands

struct RotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate", abstract: "Make a new key for the encrypted file",
    discussion: """
      If a key file leaked, rotate. If a passphrase or a device was lost or leaked, remove its slot first. The slots \
      that stay open the new key, and earlier states are removed. Copies elsewhere still open as before, so change the \
      secrets themselves too.

      The key file is replaced: replace the copy that you keep of it. You are asked for each passphrase, which stays \
      the same. Programs are run again. Each recovery code is replaced by a new one, which is printed after its slot's \
      identifier. Drop a slot whose secret nobody has any more:

        llavero rotate
        llavero rotate --drop 1c9b2f33a1d0e7c4
      """)

  @Option(help: ArgumentHelp("Remove this slot instead (repeatable)", valueName: "id"))
  var drop: [String] = []

  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: ChangeOutputOptions

  func run() throws(KeychainError) {
    let file = try keychain.existingFile { $0.changesSlots = true }
    let slots = try file.passphraseSlots()
    var isAsked = false
    let ask = passphraseSource(isOnlyOne: slots.count == 1, path: file.location.vaultFile) { isAsked = true }
    let json = output.json
    var isAnnounced = false
    let before = Self.identity(of: file.location.vaultFile)
    let keyFile = file.location.identityFile
    let formerKeyFile = Self.identity(of: keyFile)
    let sayWhatIsNew = {
      if isAnnounced { Self.remind() }
      if let formerKeyFile, Self.identity(of: keyFile) != formerKeyFile { Self.remind(ofKeyFile: keyFile) }
    }
    do throws(KeychainError) {
      try file.rotate(dropping: Set(drop), passphrase: ask) { (codes) throws(KeychainError) in
        try StandardStreams.write(json ? RecoveryOutput.json(codes) : RecoveryOutput.lines(codes))
        isAnnounced = true
      }
    } catch {
      if case .earlierStatesRemain = error { sayWhatIsNew() }
      guard isAnnounced, before != nil, Self.identity(of: file.location.vaultFile) == before else {
        throw error
      }
      let failure = error.failure
      throw .failure(
        "the codes above open nothing, and the former ones still do, because the key couldn't be changed: "
          + "\(failure.message)", hint: failure.hint, status: failure.status)
    }
    // As with every command that asks, unless the keychain needs nobody who is asked.
    if isAsked, (try? file.opensUnasked()) == false { try? file.keepUnlocked() }
    if json, !isAnnounced { try StandardStreams.write("[]\n") }
    output.say(
      "the keychain has a new key; earlier states are removed, and copies elsewhere still open as they did")
    sayWhatIsNew()
  }

  /// The inode number of the vault or the key file, which changes with the key; `nil` if it is unknown.
  private static func identity(of path: String) -> UInt? {
    var status = stat()
    return stat(path, &status) == 0 ? UInt(status.st_ino) : nil
  }

  private static func remind() {
    StandardStreams.say(
      "write the new recovery codes down now, in place of the former ones; they are not shown again")
  }

  /// A copy that somebody keeps elsewhere can't be replaced from here.
  private static func remind(ofKeyFile path: String) {
    StandardStreams.say(
      "the key file \(path) is new: replace the copy that you keep; the former one opens only former copies")
  }

  /// Asks for the passphrase of a slot. On the terminal the question names the slot if there are several; a descriptor
  /// holds one passphrase for all. If no slot has one, the descriptor isn't read here: it may be for the keychain.
  ///
  /// - Parameter noteAsking: runs when a person or a program is asked, and not for a descriptor.
  private func passphraseSource(
    isOnlyOne: Bool, path: String, noteAsking: @escaping () -> Void
  ) -> SlotPassphraseSource {
    var selection = keychain.selection
    selection.changesSlots = true
    if keychain.passphraseFd != nil {
      let source = selection.passphraseSources(for: .vault(path: path))
      return { (_, attempt) throws(KeychainError) in attempt == 1 ? try source.passphrase(attempt) : nil }
    }
    var sources: [String: PassphraseSources] = [:]
    return { (id, attempt) throws(KeychainError) in
      let source =
        sources[id] ?? selection.passphraseSources(for: isOnlyOne ? .vault(path: path) : .slot(id: id))
      sources[id] = source
      if source.respondent != .nobody { noteAsking() }
      return try source.passphrase(attempt)
    }
  }
}
