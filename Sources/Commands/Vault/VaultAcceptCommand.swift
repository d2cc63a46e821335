import ArgumentParser
import Bytes
import EncryptedFile
import Keychain
import ToolCommands

struct VaultAcceptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept", abstract: "Accept an older or another file as yours",
    discussion: """
      llavero refuses a file that is out of date, or another keychain's, because somebody may have put it there. If \
      you put it there yourself, from a backup for example, accept it with this command.
      """)

  @OptionGroup var keychain: KeychainOptions

  func run() throws(KeychainError) {
    let vault = try keychain.selection.encryptedFile()
    try VaultCommand.changing { () throws(KeychainError) in try vault.acceptRollback() }
    if StandardStreams.isTerminal(2) {
      StandardStreams.say("\(path: vault.location.vaultFile) counts as the newest state from now on")
    }
  }
}
