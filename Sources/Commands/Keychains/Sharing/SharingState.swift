import Bytes
import EncryptedFile
import Keychain
import KeychainChoice
import Terminals
import ToolCommands

/// How a keychain that others use, too, stands with its repository or server, as far as that is known on this machine.
struct SharingState {
  private let listed: ListedKeychain
  private let note: SyncNote?
  /// Whether others don't have everything yet that was changed here.
  let waits: Bool
  /// Since when copies on this machine answer in the place of a server that can't be used; `nil` if they don't.
  let copiesSince: Timestamp?

  /// The state of a keychain that is shared through git.
  ///
  /// - Parameters:
  ///   - file: the copy on this machine.
  ///   - isOpen: whether that can be opened. What is locked can't be sent either.
  init(_ listed: ListedKeychain, _ file: EncryptedFileKeychain, isOpen: Bool) {
    self.listed = listed
    note = SyncNote(in: file.location.stateFolder)
    waits = isOpen && SharedKeychainSync.hasChanges(file)
    copiesSince = nil
  }

  /// The state of a keychain on a server, which has just been asked whether it can be used.
  init(_ listed: ListedKeychain, _ readiness: KeychainReadiness, at location: VaultLocation) {
    self.listed = listed
    note = nil
    waits = false
    // Copies take nothing new.
    if case .notWritable(.openBao) = readiness {
      copiesSince = OpenBaoOpener.outage(of: listed.name, at: location)
    } else {
      copiesSince = nil
    }
  }

  /// The last exchange with the repository, in words; `nil` for a keychain on a server.
  var exchange: String? {
    guard let note else { return nil }
    let last = note.sharedAt.map { "everything was in step at \(dateText($0))" } ?? "nothing was ever in step"
    guard let problem = note.problem, let tried = note.triedAt else { return last }
    return "\(last); at \(dateText(tried)) that failed: \(problem)"
  }

  /// What answers in a server's place, in words; `nil` if the server does.
  var copies: String? { copiesSince.map { "answer since \(dateText($0)), without the server" } }

  /// What to do about changes that others don't have; `nil` if they have all.
  var unsent: String? { waits ? "what was changed here; 'llavero sync \(listed.name)' sends it" : nil }

  /// Writes the JSON members `exchanged`, `waiting` and `copiesSince`, those that there are.
  func write(to json: inout JSONWriter) {
    json.member("exchanged", note?.sharedAt)
    if waits { json.member("waiting", true) }
    json.member("copiesSince", copiesSince)
  }
}
