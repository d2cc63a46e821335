import EncryptedFile
import Keychain
import KeychainChoice
import ToolCommands

extension Finding {
  /// That an encrypted file is locked, and what opens it: a problem where nobody can be asked for a passphrase, and no
  /// program, key or credential opens it either.
  ///
  /// - Parameter summary: the file, which was opened as far as possible without asking anybody.
  init(_ file: EncryptedFileKeychain, lockedAs summary: VaultSummary) {
    if let opening = UnaskedOpening(summary), opening.protection != nil {
      self.init("state", opening.state(isOpen: false))
      return
    }
    if !summary.ways.contains(where: \.kind.isTyped) {
      self.init("state", "locked; a program or a key of yours opens it when it is used")
      return
    }
    // This command asks nobody; what counts is whether others may. It has run what gives a passphrase unattended, but no
    // slot's program.
    let path = file.location.vaultFile
    let sources = KeychainSelection().passphraseSources(for: .vault(path: path))
    if sources.respondent == .nobody {
      self.init(
        "state", nil,
        problem: .failure(
          "locked, and \(NobodyAsked.text)",
          hint: """
            \(NobodyAsked.asking(by: .unlocking(path), or: "what uses it")), or set LLAVERO_PASSPHRASE_COMMAND, or in a \
            systemd unit LoadCredential=llavero:FILE
            """, status: .keychain))
      return
    }
    let isKept = !KeychainEnvironment().keepsNothingUnlocked
    self.init(
      "state", "locked; you are asked when it is used" + (isKept ? ", or now by 'llavero unlock'" : ""))
  }
}
