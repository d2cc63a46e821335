import EncryptedFile
import Keychain
import KeychainChoice
import ToolCommands

/// A git-shared keychain that is leaving the list with unsent changes. Nothing sends those afterwards.
struct LeavingGitKeychain {
  private let listed: ListedKeychain
  private let location: VaultLocation

  /// Returns `nil` if others have everything, or nothing here has ever opened it.
  ///
  /// - Parameter location: the user's own.
  init?(_ listed: ListedKeychain, at location: VaultLocation) {
    // A keychain with invalid settings can leave the list, too.
    guard let own = try? location.of(listed), own.hasBeenMember,
      SharedKeychainSync.hasChanges(EncryptedFileKeychain(at: own))
    else { return nil }
    self.listed = listed
    self.location = own
  }

  /// Says what stays here, and asks if anybody can be asked.
  ///
  /// - Throws: ``KeychainError`` if the answer is no.
  func confirm(unless isConfirmed: Bool) throws(KeychainError) {
    let name = listed.name
    let member = MemberIdentity.path(for: location)
    let identity = listed.value(of: ListedKeychain.identityOption).flatMap { $0 == member ? nil : $0 }
    let adding = listed.adding + (identity.map { ["--identity", $0] } ?? [])
    let hint: Hint =
      "\(command: "llavero", "sync", name) sends it now; later, add the keychain again with \(commandOf: adding)"
    StandardStreams.say(
      "changes to the keychain \(name) were not sent yet, and stay in \(location.vaultFolder)")
    StandardStreams.say("hint: \(hint)")
    if isConfirmed { return }
    let question: TextForTerminal = "Take the keychain \(name) from the list before that is sent?"
    if KeychainSelection(mayPrompt: true).confirms(question) == false {
      throw .failure("nothing was changed", status: .nothingMatched)
    }
  }
}
