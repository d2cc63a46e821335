import Bytes
package import EncryptedFile
import Glibc
import Keychain
import KeychainChoice
import PrivateFiles

/// Syncs a git-shared keychain while it is used: `llavero sync` runs in the background after a change, and first if a
/// search would find nothing.
package enum BackgroundSync {
  /// The note that `llavero sync` writes after each attempt; see `SyncNote`.
  private static let noteName = "sync"
  /// An empty file, dated when a program last started `llavero sync` in the background. That may have ended without
  /// sending anything.
  private static let startName = "sync.started"
  /// How often the repository is asked at most before a search finds nothing, and how often an unsent change is tried
  /// again, in seconds.
  private static let interval: Int64 = 300
  /// How long a tool waits for that, in milliseconds.
  private static let patience = 15_000

  /// Whether this program runs inside a sync, for example because git needs a login for it.
  static var isUnderWay: Bool { getenv(SyncingMark.variable) != nil }

  /// - Throws: ``KeychainError/unavailable(reason:)`` during a sync;
  ///   ``KeychainError/notMember(keychain:recipient:wasBefore:)`` if this machine's identity doesn't open what others
  ///   share.
  static func refuseUnusable(
    _ keychain: ListedKeychain, _ file: EncryptedFileKeychain
  ) throws(KeychainError) {
    if isUnderWay {
      throw .unavailable(
        reason: "the keychain \(keychain.name) is shared, and the login for its repository can't come from it"
      )
    }
    try keychain.checkMembership(in: file)
  }

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

  /// Runs `llavero sync` while a tool waits. Returns its output; `nil` if it fails.
  private static func sync(_ arguments: [String]) -> Secret? {
    guard let program = Executables.companion(Executables.people) else { return nil }
    let words = ([program, "sync"] + arguments).map { CString(copying: $0) }
    guard let outcome = try? ProgramOutput.read(words, timeout: patience, limit: 4096) else { return nil }
    switch consume outcome {
    case .printed(let output): return output
    case .failed: return nil
    }
  }

  /// Sends the changes of programs that run no other, such as those that link the library, and those of a sync that
  /// was ended early.
  static func sendWhatIsLeft(_ keychain: ListedKeychain, at location: VaultLocation) {
    guard let tried = date(of: noteName, location),
      let written = FileStatus.modificationDate(of: location.vaultFile), written > tried
    else { return }
    // A sync may be under way.
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

  /// Runs `llavero sync` in the background. If it can't be started, the next change or a later use makes up for it.
  ///
  /// - Parameter location: the keychain whose changes it sends, if it does.
  private static func start(_ arguments: [String], noting location: VaultLocation? = nil) {
    if let location { noteStart(location) }
    guard let program = Executables.companion(Executables.people) else { return }
    // It closes its output at once.
    _ = try? DetachedProgram.start(program, [Executables.people, "sync"] + arguments)
  }

  /// Notes the start, so that other programs don't start it again meanwhile.
  private static func noteStart(_ location: VaultLocation) {
    guard let folder = try? Folder(creating: location.stateFolder) else { return }
    try? [UInt8]().lendingBytes { (bytes) throws(KeychainError) in
      try folder.replaceForNow(startName, with: bytes)
    }
  }

  /// Whether to ask the repository before a search finds nothing.
  package static func isDue(_ location: VaultLocation) -> Bool {
    guard let tried = date(of: noteName, location) else { return true }
    return !isRecent(tried) && !(date(of: startName, location).map(isRecent) ?? false)
  }
}
