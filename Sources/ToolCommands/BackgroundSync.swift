import EncryptedFile
import Glibc
import Keychain
import KeychainChoice
import PrivateFiles
import Processes

/// How a keychain that is shared through git is kept in step while it is used: `llavero sync` runs behind a change, and before
/// it is said that there is nothing.
enum BackgroundSync {
  /// The note that `llavero sync` writes whenever it has tried; see `SyncNote`.
  private static let noteName = "sync"
  /// Says that this machine's identity no longer opens what is in the repository.
  private static let exclusionName = "excluded"
  /// The repository is asked at most so often before it is said that there is nothing, in seconds.
  private static let interval: Int64 = 300
  /// How long a tool waits for that, in milliseconds.
  private static let patience = 15_000

  /// Whether this program is run to bring a keychain in step, for example by git, which needs a login.
  static var isUnderWay: Bool { getenv(SyncingMark.variable) != nil }

  /// - Throws: ``KeychainError/unavailable(reason:)`` while a keychain is brought in step;
  ///   ``KeychainError/notMember(keychain:recipient:)`` if this machine's identity doesn't open what others share.
  static func refuseUnusable(
    _ keychain: ListedKeychain, _ file: EncryptedFileKeychain
  ) throws(KeychainChoiceError) {
    if isUnderWay {
      throw .keychain(
        .unavailable(
          reason:
            "the keychain \(keychain.name) is shared, and the login for its repository can't come from it"))
    }
    let folder = file.location.stateFolder
    let isExcluded = FileStatus.isThere(folder + "/" + exclusionName)
    // As soon as the identity opens the keychain, that is noted.
    if !isExcluded, FileStatus.isThere(folder + "/slots") { return }
    guard let path = keychain.value(of: ListedKeychain.identityOption) else { return }
    do throws(KeychainError) {
      if !isExcluded, try !file.isThere() { return }
      if !isExcluded, try file.noteIdentity(path) != nil { return }
      throw .notMember(keychain: keychain.name, recipient: try SlotIdentity.recipient(at: path))
    } catch {
      throw .keychain(error)
    }
  }

  /// What is done around the keychain.
  static func sharing(_ keychain: ListedKeychain, at location: VaultLocation) -> VaultSharing {
    VaultSharing {
      guard let program = Executables.companion(Executables.people) else { return }
      // It closes its output at once. What can't be started is sent with the next change.
      _ = try? DetachedProgram.start(program, [Executables.people, "sync", "--background", keychain.name])
    } atMiss: {
      guard isDue(location), let program = Executables.companion(Executables.people) else { return false }
      let words = [program, "sync", "--quick", keychain.name].map { CString(copying: $0) }
      guard let outcome = try? ProgramOutput.read(words, timeout: patience, limit: 4096) else { return false }
      if case .printed = outcome { return true }
      return false
    }
  }

  private static func isDue(_ location: VaultLocation) -> Bool {
    guard let folder = try? Folder(opening: location.stateFolder) else { return true }
    guard let status = try? folder.status(of: noteName) else { return true }
    let age = Timestamp.now.seconds - status.modificationDate.seconds
    return age < 0 || age >= interval
  }
}
