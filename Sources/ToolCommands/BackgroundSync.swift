import Bytes
package import EncryptedFile
import Glibc
import Keychain
import KeychainChoice
import PrivateFiles
import System
import Terminals

/// How a keychain that is shared through git is kept in step while it is used: `llavero sync` runs behind a change, and
/// before it is said that there is nothing.
package enum BackgroundSync {
  /// The note that `llavero sync` writes whenever it has tried; see `SyncNote`.
  private static let noteName = "sync"
  /// The empty file whose date says when `llavero sync` was started last behind a program. It may have been ended since
  /// with nothing sent.
  private static let startName = "sync.started"
  /// The repository is asked at most so often before it is said that there is nothing, and a change that nobody has
  /// sent is tried again so often, in seconds.
  private static let interval: Int64 = 300
  /// How long a tool waits for that, in milliseconds.
  private static let patience = 15_000

  /// Whether this program is run to bring a keychain in step, for example by git, which needs a login.
  static var isUnderWay: Bool { getenv(SyncingMark.variable) != nil }

  /// - Throws: ``KeychainError/unavailable(reason:)`` while a keychain is brought in step;
  ///   ``KeychainError/notMember(keychain:recipient:wasBefore:)`` if this machine's identity doesn't open what others
  ///   share.
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

  /// What is done around a keychain.
  struct Sharing: VaultSharing {
    let keychain: ListedKeychain
    let location: VaultLocation

    var name: String { keychain.name }

    func afterChange() { start(["--background", keychain.name], noting: location) }

    func atMiss() -> Bool { isDue(location) && sync(["--quick", keychain.name]) != nil }

    func bringInStep() -> Bool { sync(["--quick", keychain.name]) != nil }

    func takeLease(_ name: String, over former: String?) -> SharedLease {
      var arguments = ["--quick", "--lease", name]
      if let former { arguments += ["--over", former] }
      guard let output = sync(arguments + [keychain.name]) else { return .failed }
      let words = output.withUnsafeBytes { bytes in
        bytes.split { $0 == 0x0a || $0 == 0x20 }.map { String(decoding: $0, as: UTF8.self) }
      }
      switch (words.first, words.count) {
      case ("taken", 2): return .taken(by: words[1])
      case ("held", 2): return .held(by: words[1])
      case ("unknown", 1): return .unknown
      default: return .failed
      }
    }

    func endLease(_ name: String, of holder: String) {
      start(["--background", "--lease", name, "--over", holder, keychain.name])
    }
  }

  /// Runs `llavero sync` while a tool waits. Returns what it prints; `nil` if it fails.
  private static func sync(_ arguments: [String]) -> Secret? {
    guard let program = Executables.companion(Executables.people) else { return nil }
    let words = ([program, "sync"] + arguments).map { CString(copying: $0) }
    guard let outcome = try? ProgramOutput.read(words, timeout: patience, limit: 4096) else { return nil }
    switch consume outcome {
    case .printed(let output): return output
    case .failed: return nil
    }
  }

  /// Sends what a program has changed that runs no other, as those that link the library do, and what was to be sent by
  /// one that was ended before.
  static func sendWhatIsLeft(_ keychain: ListedKeychain, at location: VaultLocation) {
    guard let tried = date(of: noteName, location),
      let written = FileStatus.modificationDate(of: location.vaultFile), written > tried
    else { return }
    // Perhaps it is being sent.
    if let started = date(of: startName, location), started >= written, isRecent(started) { return }
    start(["--background", keychain.name], noting: location)
  }

  private static func date(of name: String, _ location: VaultLocation) -> Timestamp? {
    FileStatus.modificationDate(of: location.stateFolder + "/" + name)
  }

  private static func isRecent(_ date: Timestamp) -> Bool {
    let age = Timestamp.now.seconds - date.seconds
    return age >= 0 && age < interval
  }

  /// Runs `llavero sync` behind this program. What can't be started is done with the next change, or in a while.
  ///
  /// - Parameter location: whose changes it sends, if it does.
  private static func start(_ arguments: [String], noting location: VaultLocation? = nil) {
    if let location { noteStart(location) }
    guard let program = Executables.companion(Executables.people) else { return }
    // It closes its output at once.
    _ = try? DetachedProgram.start(program, [Executables.people, "sync"] + arguments)
  }

  /// Notes that it is started, so that the next ones don't start it again meanwhile.
  private static func noteStart(_ location: VaultLocation) {
    guard let folder = try? Folder(creating: location.stateFolder) else { return }
    try? [UInt8]().lendingBytes { (bytes) throws(KeychainError) in
      try folder.replaceForNow(startName, with: bytes)
    }
  }

  /// Whether the repository is to be asked before it is said that there is nothing.
  package static func isDue(_ location: VaultLocation) -> Bool {
    guard let tried = date(of: noteName, location) else { return true }
    return !isRecent(tried) && !(date(of: startName, location).map(isRecent) ?? false)
  }
}
