import EncryptedFile
import Keychain
import KeychainChoice
import Terminals
import ToolCommands

/// The findings of `llavero doctor` about a listed keychain.
struct ListedKeychainFindings {
  private(set) var all: [Finding] = []

  /// Asks nobody.
  init(of keychain: ListedKeychain, _ selection: KeychainSelection) {
    all.append(Finding(keychain.kind == .git ? "repository" : "place", keychain.shownPlace))
    var selection = selection
    selection.name = keychain.name
    do throws(KeychainError) {
      let open = try selection.choose().open()
      if let file = open.file {
        try look(at: file, keychain)
      } else if let remote = open.remote {
        let readiness = remote.probe()
        if let problem = readiness.reason { all.append(Finding("server", nil, problem: problem)) }
        if let copies = SharingState(keychain, readiness, at: open.location).copies {
          all.append(Finding("copies", copies))
        }
      }
    } catch {
      all.append(Finding("keychain", nil, problem: error))
    }
  }

  private mutating func look(at file: EncryptedFileKeychain, _ keychain: ListedKeychain) throws(KeychainError)
  {
    if keychain.kind == .git {
      all.append(Finding("copy", file.location.vaultFile))
      let note = SyncNote(in: file.location.stateFolder)
      all.append(Finding("exchange", SharingState(keychain, file, isOpen: false).exchange))
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
      // Members are asked for nothing, so something is missing.
      if let summary, summary.contents == nil, keychain.kind == .git { _ = try file.items(matching: .all) }
      let count = summary?.contents.map { "\($0.count)" }
      all.append(Finding("items", count ?? "unknown, because nobody was asked to unlock it"))
      let isOpen = summary?.contents != nil
      if keychain.kind == .git, let unsent = SharingState(keychain, file, isOpen: isOpen).unsent {
        all.append(Finding("not sent yet", unsent))
      }
    } catch {
      all.append(Finding("items", nil, problem: error))
    }
  }
}
