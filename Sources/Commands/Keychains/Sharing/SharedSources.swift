import EncryptedFile
import Keychain
import KeychainChoice
import ToolCommands

/// The git-shared keychains among those without an answer.
struct SharedSources {
  private let keychains: [ListedKeychain]

  /// - Parameter keychain: the keychain that was asked.
  init(of keychain: any KeychainStore) {
    guard let names = keychain.searchList?.names, let location = try? VaultLocation(),
      let list = try? KeychainList.read(in: location.stateFolder)
    else {
      keychains = []
      return
    }
    keychains = list.keychains.filter { $0.kind.hasRepository && names.contains($0.name) }
  }

  var isEmpty: Bool { keychains.isEmpty }

  /// Names the repositories that could not be asked for others' newer items, with the date of the copies here.
  func tellUnasked() {
    for keychain in keychains {
      guard let own = try? VaultLocation().of(keychain) else { continue }
      let note = SyncNote(in: own.stateFolder)
      guard !note.wasAsked || BackgroundSync.isDue(own) else { continue }
      let copy =
        (note.askedAt ?? note.sharedAt).map { "is as it was at \(dateText($0))" } ?? "may lack what it has"
      let problem = note.wasAsked ? "" : note.problem.map { ": \($0)" } ?? ""
      StandardStreams.say(
        "the repository of the keychain \(keychain.name) couldn't be asked, and the copy on this machine \(copy)\(problem)"
      )
    }
  }
}
