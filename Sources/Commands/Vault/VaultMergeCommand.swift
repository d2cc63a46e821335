import ArgumentParser
import Bytes
import EncryptedFile
import Keychain
import ToolCommands

struct VaultMergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge", abstract: "Merge another copy of the encrypted file",
    discussion: """
      With one file, merges its items into the keychain. Each item's name, attributes and secret are those that were \
      changed last; 'llavero undelete' brings back a secret that lost. Copies that a sync program puts beside the \
      keychain are merged without this command.

      With three files, this is a git merge driver for a keychain in a repository:

        git config merge.llavero.driver 'llavero vault merge %O %A %B'
        echo 'vault.age merge=llavero' >> .gitattributes
      """)

  @Argument(
    help: ArgumentHelp("The other copy; or git's three: the base, ours and theirs", valueName: "file"))
  var files: [String]

  @OptionGroup var keychain: KeychainOptions

  func validate() throws {
    if files.count != 1, files.count != 3 { throw ValidationError("Name one file, or git's three.") }
  }

  func run() throws(KeychainError) {
    let vault = try keychain.selection.encryptedFile()
    do {
      if files.count == 3 {
        tellUndecided(try vault.mergeFiles(base: files[0], ours: files[1], theirs: files[2]))
      } else {
        let outcome = try vault.merge(copyAt: files[0])
        StandardStreams.say(
          "the keychain has \(countText(outcome.count, "item")): \(outcome.added) merged, "
            + "\(outcome.deleted) removed")
        tellUndecided(outcome)
      }
    } catch .itemNotFound {
      throw .failure("there is no encrypted file yet to merge it into", status: .nothingMatched)
    } catch .wrongIdentity(let path) {
      throw .failure(
        "\(shown(path)) is not a copy of this keychain; nothing was changed",
        hint: files.count == 1
          ? "\(command: "llavero", "import", "llavero", path) brings in the items of another" : nil,
        status: .keychain)
    } catch .otherKey(let path) {
      throw .otherKey(path: shown(path))
    } catch .damaged(let path, let detail) where files.contains(path) && path != vault.location.vaultFile {
      throw .failure(
        "cannot merge \(shown(path)): \(detail)",
        hint: files.count == 1
          ? "nothing was changed; name a good copy of \(prose: vault.location.vaultFile)"
          : "nothing was changed; choose one with 'git checkout --ours' or 'git checkout --theirs'",
        status: .keychain)
    }
  }
}

extension VaultMergeCommand {
  /// A person's name for a file: git gives its merge driver temporary ones, `.merge_file_XXXXXX`.
  private func shown(_ path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard files.count == 3, name.hasPrefix(".merge_file_") else { return path }
    return path == files[2] ? "'theirs' of the file" : "'ours' of the file"
  }
}

/// Reports the number of items that both copies had changed, where only the dates could decide.
private func tellUndecided(_ outcome: MergeOutcome) {
  if outcome.undecided == 0 { return }
  let items = countText(outcome.undecided, "item")
  StandardStreams.say(
    "\(items) had been changed in both copies: the later change counts, 'llavero undelete' brings the other back"
  )
}
