import ArgumentParser
import Bytes
import EncryptedFile
import Keychain
import ToolCommands

struct VaultVerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Read everything in the encrypted file and check it",
    discussion: """
      It also names files that were never merged into this one, and may have items that it lacks: copies beside it, \
      and changes that another file has replaced. The exit status is 2 if you can't rely on the file.
      """)

  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func run() throws(KeychainError) {
    let vault = try keychain.selection.encryptedFile()
    let found = try vault.verify()
    guard let found else {
      throw KeychainError.noEncryptedFile
    }
    let former = try vault.generationsOfFormerKeys().count
    let unmerged = try vault.unmergedFiles()
    let report: JSONObject = [
      "path": vault.location.vaultFile, "generation": found.generation, "written": found.written,
      "items": found.count, "retired": found.retiredCount, "former_key_states": former,
      "unmerged": unmerged.map { file -> JSONObject in
        ["path": file.path, "kind": file.kind.rawValue, "problem": file.problem?.message]
      },
    ]
    try output.write(
      report,
      or: "\(path: vault.location.vaultFile) is in order: \(countText(found.count, "item")), "
        + "\(found.retiredCount) deleted or replaced, write \(found.generation) of "
        + "\(dateText(found.written, seconds: true))\n")
    if output.json { return }
    if former > 0 {
      StandardStreams.say(
        "a former key opens \(countText(former, "earlier state")); 'llavero vault compact' removes all of them"
      )
    }
    for file in unmerged { StandardStreams.say("\(file.remark)") }
  }
}
