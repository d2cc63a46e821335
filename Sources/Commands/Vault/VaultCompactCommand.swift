import ArgumentParser
import Bytes
import EncryptedFile
import Keychain
import ToolCommands

struct VaultCompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact", abstract: "Forget deleted and replaced secrets for good",
    discussion: """
      Removes from the encrypted file everything that 'llavero undelete' could bring back, and all earlier states. \
      Other copies of the keychain, in a backup or on another machine, still have it. The names of deleted items stay \
      for 180 days, so that such a copy doesn't bring them back.
      """)

  @Flag(help: "Don't ask")
  var yes = false

  @OptionGroup var keychain: KeychainOptions

  func run() throws(KeychainError) {
    let vault = try keychain.selection.encryptedFile()
    if let name = vault.sharing?.name {
      throw .failure(
        "the keychain \(name) is shared: forgotten secrets would come back from its repository",
        hint: "to make a secret useless, change it where it is used", status: .usage)
    }
    if !yes {
      let question: TextForTerminal = "Forget deleted and replaced secrets, and all earlier states?"
      guard let isConfirmed = keychain.selection.confirms(question) else {
        throw .failure(
          "removed secrets can't be brought back, and nobody can be asked", hint: "add --yes", status: .usage)
      }
      if !isConfirmed { throw .failure("nothing was changed", status: .nothingMatched) }
    }
    let gone = try VaultCommand.changing { () throws(KeychainError) in try vault.compact() }
    StandardStreams.say(
      "forgot \(countText(gone.records, "former item")) and \(countText(gone.generations, "earlier state"))")
  }
}
