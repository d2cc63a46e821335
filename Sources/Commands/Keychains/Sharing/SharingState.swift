import Bytes
import EncryptedFile
import Keychain
import KeychainChoice
import OpenBao
import ToolCommands

/// The sharing of a keychain with its repository or server, as far as it is known on this machine.
struct SharingState {
  private let listed: ListedKeychain
  private let note: SyncNote?
  /// Whether others lack some changes made here.
  let waits: Bool
  /// Since when copies on this machine answer for an unusable server; `nil` if they don't.
  let copiesSince: Timestamp?

  /// - Parameters:
  ///   - file: the copy on this machine.
  ///   - isOpen: whether the copy can be opened. A locked one can't be sent either.
  init(_ listed: ListedKeychain, _ file: EncryptedFileKeychain, isOpen: Bool) {
    self.listed = listed
    note = SyncNote(in: file.location.stateFolder)
    waits = isOpen && SharedKeychainSync.hasChanges(file)
    copiesSince = nil
  }

  /// - Parameter readiness: the answer of a keychain on a server that has just been asked.
  init(_ listed: ListedKeychain, _ readiness: KeychainReadiness, at location: VaultLocation) {
    self.listed = listed
    note = nil
    waits = false
    // Copies take nothing new.
    if case .notWritable(let reason) = readiness, reason.ofOpenBao != nil {
      copiesSince = OpenBaoOpener.outage(of: listed.name, at: location)
    } else {
      copiesSince = nil
    }
  }

  /// The last sync with the repository, in words; `nil` for a keychain on a server.
  var exchange: String? {
    guard let note else { return nil }
    let last = note.sharedAt.map { "everything was in step at \(dateText($0))" } ?? "nothing was ever in step"
    guard let problem = note.problem, let tried = note.triedAt else { return last }
    return "\(last); at \(dateText(tried)) that failed: \(problem)"
  }

  /// The copies that answer for a server, in words; `nil` if the server does.
  var copies: String? { copiesSince.map { "answer since \(dateText($0)), without the server" } }

  /// What to do about changes that others lack; `nil` if there are none.
  var unsent: String? { waits ? "changes made here; 'llavero sync \(listed.name)' sends them" : nil }

  /// What is known of it, for programs.
  var report: JSONObject {
    ["exchanged": note?.sharedAt, "waiting": waits.ifTrue, "copiesSince": copiesSince]
  }
}
