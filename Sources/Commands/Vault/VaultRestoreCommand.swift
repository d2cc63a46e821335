import ArgumentParser
import Bytes
import EncryptedFile
import Keychain
import ToolCommands

struct VaultRestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Put back a damaged file, or go back to an earlier state",
    discussion: """
      Without a write, this replaces a damaged or missing file with its newest good state, and with all items that the \
      damaged file still gives. The damaged file is kept among the earlier states. If the file is in order, it lists \
      the states that you can go back to.

      With a write, as 'llavero vault log' numbers them, this goes back to that state. It is a change like any other: \
      the state that it replaces stays in the log, so you can undo it, and other copies of the keychain will follow. A \
      damaged or missing file is put back so, too.

      The slots that opened the file last open it again; if llavero can't tell for sure which they were, it asks you \
      first.
      """)

  @Argument("The write, as 'llavero vault log' numbers them, or its file", value: "write")
  var write: String?

  @OptionGroup var confirmation: ReturningWaysOptions
  @OptionGroup var keychain: KeychainOptions

  func run() throws(KeychainError) {
    let vault = try keychain.selection.encryptedFile()
    try vault.askingOnce { () throws(KeychainError) in
      if let write { try restore(write, of: vault) } else { try restore(vault) }
    }
  }

  private func restore(_ write: String, of vault: EncryptedFileKeychain) throws(KeychainError) {
    func isMeant(_ number: Int64, _ path: String) -> Bool {
      number == Int64(write) || path == write || path.hasSuffix("/\(write)")
    }
    var found = try vault.generations().filter { isMeant($0.number, $0.path) }
    // These have to be opened, which may need a passphrase.
    if found.isEmpty {
      found = try vault.lastWritesOfUnreadable().filter { isMeant($0.number, $0.path) }
    }
    guard let generation = found.first else {
      if let present = (try? vault.verify()) ?? nil, isMeant(present.generation, vault.location.vaultFile) {
        StandardStreams.say("write \(present.generation) is already in use; nothing was changed")
        return
      }
      throw .failure(
        "there is no state of write \(write)", hint: "see which there are with 'llavero vault log'",
        status: .nothingMatched)
    }
    if found.count > 1 {
      throw .failure(
        "two copies of the keychain had a write \(write): \(found.map(\.path).joined(separator: ", "))",
        hint: "say which you mean with 'llavero vault restore FILE'", status: .usage)
    }
    let outcome = try confirmation.confirming(vault, keychain.selection) {
      (vault, confirm) throws(KeychainError) in
      try vault.restore(generation, confirm: confirm)
    }
    StandardStreams.say(
      "the keychain is again as it was after write \(generation.number): \(countText(outcome.count, "item")), "
        + "\(outcome.restored) put back, \(outcome.retired) removed")
  }

  /// Puts back a damaged file, with everything still readable. For a sound one, offers the states.
  private func restore(_ vault: EncryptedFileKeychain) throws(KeychainError) {
    guard let salvage = try salvage(vault) else {
      StandardStreams.say("the encrypted file is in order; nothing was changed")
      return try StandardStreams.write(VaultLogCommand.table(VaultLogCommand.states(of: vault), inUTC: false))
    }
    let recovered = salvage.hadFile ? "\(salvage.recovered) from the damaged file" : ""
    let others = salvage.hadFile ? ", the others" : "all"
    let base = salvage.base.map { "\(others) from write \($0.number)" } ?? ""
    StandardStreams.say("the keychain has \(countText(salvage.count, "item")): \(recovered)\(base)")
  }

  /// Salvages the file; `nil` if nothing is wrong with it.
  ///
  /// - Throws: ``KeychainError``, whose hint isn't to do this very thing.
  private func salvage(_ vault: EncryptedFileKeychain) throws(KeychainError) -> Salvage? {
    do throws(KeychainError) {
      return try confirmation.confirming(vault, keychain.selection) {
        (vault, confirm) throws(KeychainError) -> Salvage? in
        do throws(KeychainError) {
          return try vault.salvage(confirm: confirm)
        } catch .duplicateItem {
          return nil
        }
      }
    } catch {
      let failure = error.failure
      guard let hint = failure.hint, hint.description.hasPart("llavero vault restore") else { throw error }
      let named = keychain.selection.name.map { ["--keychain", $0] } ?? []
      throw .failure(
        failure.message,
        hint: """
          nothing was changed; see the states that are kept with \(commandOf: ["llavero", "vault", "log"] + named), or \
          put back a copy of the file from a backup
          """, status: error.status)
    }
  }
}
