import EncryptedFile
import GitShared
import Keychain
import KeychainChoice
import Terminals
import ToolCommands

/// What `llavero doctor` finds out about a keychain of the search list.
struct ListedKeychainFindings {
  private(set) var all: [Finding] = []

  /// Looks at the keychain, and asks nobody.
  init(of keychain: ListedKeychain, _ selection: KeychainSelection) {
    all.append(Finding(keychain.kind == .git ? "repository" : "place", keychain.place))
    var selection = selection
    selection.name = keychain.name
    do throws(Failure) {
      let open = try selection.choose().open()
      if let file = open.file {
        try look(at: file, keychain)
      } else if let remote = open.remote, let problem = remote.probe().reason {
        all.append(Finding("server", nil, problem: problem))
      }
    } catch {
      all.append(
        Finding("keychain", nil, problem: error.cause ?? .unavailable(reason: error.message)))
    }
  }

  private mutating func look(at file: EncryptedFileKeychain, _ keychain: ListedKeychain) throws(Failure) {
    if keychain.kind == .git {
      all.append(Finding("copy", file.location.vaultFile))
      let note = SyncNote(in: file.location.stateFolder)
      all.append(Finding("exchange", Self.exchange(note)))
      if !note.withFormerKey.isEmpty {
        all.append(
          Finding("no members", note.withFormerKey.joined(separator: "; ") + " (added with a former key)"))
      }
      if note.overridden > 0 {
        all.append(
          Finding(
            "overridden by others",
            "\(countText(note.overridden, "change")) made here; see 'llavero undelete --list --keychain \(keychain.name)'"
          ))
      }
    }
    do throws(KeychainError) {
      try keychain.checkMembership(in: file)
      let summary = try file.summary()
      let count = summary?.contents.map { "\($0.count)" }
      all.append(Finding("items", count ?? "unknown, because nobody was asked to unlock it"))
      if keychain.kind == .git, summary?.contents != nil, SharedKeychainSync.hasChanges(file) {
        all.append(
          Finding(
            "not sent yet", "what was changed here; 'llavero sync \(keychain.name)' sends it"))
      }
    } catch {
      all.append(Finding("items", nil, problem: error))
    }
  }

  private static func exchange(_ note: SyncNote) -> String {
    let last = note.sharedAt.map { "everything was in step at \(dateText($0))" } ?? "nothing was ever in step"
    guard let problem = note.problem, let tried = note.triedAt else { return last }
    return "\(last); at \(dateText(tried)) that failed: \(problem)"
  }
}
