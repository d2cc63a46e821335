import ArgumentParser
import Keychain
import ToolCommands

struct VaultCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vault",
    abstract: "Look after the encrypted file: earlier states, damage, copies",
    discussion: """
      llavero keeps the last five states of the file, and the last state of each of seven days.

        llavero vault log                 list them
        llavero vault restore 41          bring back the items as of write 41
        llavero vault restore             mend a damaged file with all it still has
        llavero vault verify              read everything and check it

      To bring back a deleted item, 'llavero undelete' is easier. For a keychain in HashiCorp Vault see \
      'llavero help sharing'.
      """,
    subcommands: [
      VaultLogCommand.self, VaultRestoreCommand.self, VaultVerifyCommand.self, VaultAcceptCommand.self,
      VaultMergeCommand.self, VaultCompactCommand.self,
    ])

  /// Changes the encrypted file. ``KeychainError/itemNotFound`` means that it doesn't exist.
  static func changing<Result>(
    _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    do throws(KeychainError) {
      return try body()
    } catch .itemNotFound {
      throw .noEncryptedFile
    }
  }
}

extension KeychainError {
  static let noEncryptedFile = KeychainError("there is no encrypted file yet", status: .nothingMatched)
}
