import ArgumentParser
import EncryptedFile
import Glibc
import Keychain
import KeychainChoice
import ToolCommands

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create the encrypted file, with a passphrase if you like",
    discussion: """
      You don't need this to begin: the first login you store makes a keychain whose key is in a file that only you \
      can read. You are never asked for anything. That protects a copy or a backup of the keychain, but not against \
      anyone who can read your home directory.

      With --passphrase only the passphrase opens it. You are asked for it, or it comes from another source: see \
      "Where the passphrase comes from" in llavero-passphrase(1). A keychain that is there already gets one with \
      'llavero passphrase', and keeps all that is in it.

        llavero init --passphrase

      If there was a keychain and it is missing, no other is made in its place: its disk may not be mounted, or it may \
      have moved. To begin without it, use --start-over. What is left of it is moved to folders beside it, called \
      former-...:

        llavero init --start-over
      """)

  @Flag(help: "Ask for a passphrase, which is then the only way to open it")
  var passphrase = false

  @Flag(help: "Create one although there was another, which is missing; nothing of that is removed")
  var startOver = false

  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func run() throws(KeychainError) {
    if let name = self.keychain.keychain, name != KeychainKind.file.rawValue {
      throw .failure(
        "only the encrypted file is made by this command",
        hint: "'llavero keychain add NAME file FOLDER --create' makes another one", status: .usage)
    }
    let keychain = try ProgramOpener(self.keychain.selection, try VaultLocation())
      .openFile(ListedKeychain(builtIn: .file))
    if passphrase || self.keychain.passphraseFd != nil {
      let path = keychain.location.vaultFile
      // Before the user has to think of a passphrase for it.
      if access(path, F_OK) == 0 {
        try protect(keychain)
        return try writeStatus(keychain)
      }
      let passphrase = try self.keychain.selection.passphraseSources(for: .vault(path: path)).newPassphrase()
      try create(in: keychain, .passphrase(passphrase))
      // Without that, the passphrase is asked for at the next use.
      if self.keychain.passphraseFd == nil { try? keychain.keepUnlocked() }
    } else {
      try create(in: keychain, .identityFile)
    }
    let (folder, vault) = (keychain.location.stateFolder, keychain.location.vaultFile)
    let file = KeychainKind.file.rawValue
    var remembered = try RememberedKeychain.read(in: folder)
    // Another choice made meanwhile stays.
    if remembered == nil {
      if let saved = try RememberedKeychain.writeFirst(file, vault: vault, in: folder) {
        StandardStreams.warn(saved)
      } else {
        remembered = try RememberedKeychain.read(in: folder)
      }
    }
    if remembered?.name == file {
      remembered = try RememberedKeychain.note(vault: vault, in: folder)
    }
    if let name = remembered?.name, name != file {
      let shown = name == KeychainKind.secretService.rawValue ? "the Secret Service" : name
      StandardStreams.say("\(shown) stays in use; 'llavero keychain use file' changes that")
    }
    try writeStatus(keychain)
  }

  private func writeStatus(_ file: EncryptedFileKeychain) throws(KeychainError) {
    let choice = KeychainChoice(kind: .file, reason: .made)
    let status = try KeychainStatus(of: OpenKeychain(choice: choice, location: file.location, own: file))
    try output.write(status.report(), or: status.text())
  }

  /// Protects the keychain that is there already, if a person on a terminal wants that.
  private func protect(_ file: EncryptedFileKeychain) throws(KeychainError) {
    let path = file.location.vaultFile
    let selection = keychain.selection
    let hasPassphrase = try !file.passphraseSlots().isEmpty
    guard !hasPassphrase,
      selection.confirms(
        "Protect it with a passphrase? It keeps all that is in it.",
        showing: "There is a keychain already: \(path)\n") == true
    else {
      throw Self.isThere(
        path,
        hint: hasPassphrase
          ? "'llavero passphrase' changes its passphrase"
          : "'llavero passphrase' protects it with one, and keeps all that is in it")
    }
    let protection = PassphraseInPlaceOfKeyFile(
      file: file, selection: selection, isTyped: keychain.passphraseFd == nil)
    _ = try protection.add { () throws(KeychainError) in
      try selection.passphraseSources(for: .vault(path: path)).newPassphrase()
    }
  }

  private func create(
    in keychain: EncryptedFileKeychain, _ protection: consuming Protection
  ) throws(KeychainError) {
    do {
      let aside = try keychain.create(protection, startingOver: startOver)
      if !aside.isEmpty {
        let folders = aside.joined(separator: " and ")
        StandardStreams.say("the remains of the former keychain are in \(folders) now")
      }
    } catch .duplicateItem {
      let location = keychain.location
      if startOver {
        throw Self.isThere(location.vaultFile, hint: "\(Hint.beginningWithout(location.vaultFolder))")
      }
      throw Self.isThere(location.vaultFile)
    }
  }

  private static func isThere(
    _ path: String, hint: Hint = "see what protects it with 'llavero status'"
  ) -> KeychainError {
    KeychainError("there is a keychain already: \(path)", hint: hint, status: .nothingMatched)
  }
}
