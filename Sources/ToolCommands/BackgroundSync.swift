package import EncryptedFile
import Glibc
import Keychain
import KeychainChoice
import PrivateFiles
import Processes

/// How a keychain that is shared through git is kept in step while it is used: `llavero sync` runs behind a change, and before
/// it is said that there is nothing.
package enum BackgroundSync {
  /// The note that `llavero sync` writes whenever it has tried; see `SyncNote`.
  private static let noteName = "sync"
  /// The repository is asked at most so often before it is said that there is nothing, in seconds.
  private static let interval: Int64 = 300
  /// How long a tool waits for that, in milliseconds.
  private static let patience = 15_000

  /// Whether this program is run to bring a keychain in step, for example by git, which needs a login.
  static var isUnderWay: Bool { getenv(SyncingMark.variable) != nil }

  /// - Throws: ``KeychainError/unavailable(reason:)`` while a keychain is brought in step;
  ///   ``KeychainError/notMember(keychain:recipient:wasBefore:)`` if this machine's identity doesn't open what others share.
  static func refuseUnusable(
    _ keychain: ListedKeychain, _ file: EncryptedFileKeychain
  ) throws(KeychainChoiceError) {
    if isUnderWay {
      throw .keychain(
        .unavailable(
          reason:
            "the keychain \(keychain.name) is shared, and the login for its repository can't come from it"))
    }
    do throws(KeychainError) {
      try keychain.checkMembership(in: file)
    } catch {
      throw .keychain(error)
    }
  }

  /// What is done around the keychain.
  static func sharing(_ keychain: ListedKeychain, at location: VaultLocation) -> VaultSharing {
    VaultSharing {
      start(keychain, at: location)
    } atMiss: {
      isDue(location) && sync(["--quick", keychain.name])
    } bringInStep: {
      sync(["--quick", "--writable", keychain.name])
    }
  }

  /// Runs `llavero sync` while a tool waits. Returns whether it succeeds.
  private static func sync(_ arguments: [String]) -> Bool {
    guard let program = Executables.companion(Executables.people) else { return false }
    let words = ([program, "sync"] + arguments).map { CString(copying: $0) }
    guard let outcome = try? ProgramOutput.read(words, timeout: patience, limit: 4096) else { return false }
    if case .printed = outcome { return true }
    return false
  }

  /// Sends what a program has changed that runs no other, as those that link the library do.
  static func sendWhatIsLeft(_ keychain: ListedKeychain, at location: VaultLocation) {
    guard let tried = FileStatus.modificationDate(of: notePath(location)),
      let written = FileStatus.modificationDate(of: location.vaultFile), written > tried
    else { return }
    start(keychain, at: location)
  }

  private static func notePath(_ location: VaultLocation) -> String { location.stateFolder + "/" + noteName }

  private static func start(_ keychain: ListedKeychain, at location: VaultLocation) {
    // The note is as old as what is being sent, so that the next ones don't start it again meanwhile.
    var status = stat()
    if lstat(location.vaultFile, &status) == 0 {
      let written = [status.st_mtim, status.st_mtim]
      utimensat(AT_FDCWD, notePath(location), written, AT_SYMLINK_NOFOLLOW)
    }
    guard let program = Executables.companion(Executables.people) else { return }
    // It closes its output at once. What can't be started is sent with the next change.
    _ = try? DetachedProgram.start(program, [Executables.people, "sync", "--background", keychain.name])
  }

  /// Whether the repository is to be asked before it is said that there is nothing.
  package static func isDue(_ location: VaultLocation) -> Bool {
    guard let tried = FileStatus.modificationDate(of: notePath(location)) else { return true }
    let age = Timestamp.now.seconds - tried.seconds
    return age < 0 || age >= interval
  }
}
