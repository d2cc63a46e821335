import Bytes
import Glibc
import Keychain
import PrivateFiles

/// The repository of a shared keychain: a bare clone on this machine, and the remote.
///
/// Its branch has, besides anything else,
///
///     vault.age          a whole vault
///     changes/NAME.age   vaults of the records that were changed since
///     slots/ID.age       the slots of vault.age, for programs that know age and no keychain
///
/// Git never merges here: records that the keychain lacks are merged into it, and those that the branch lacks become
/// one more commit on it. If somebody else was faster, that commit is forgotten and made anew.
struct SharedRepository {
  static let wholeName = "vault.age"
  static let changesName = "changes"
  static let slotsName = "slots"
  static let defaultBranch = "main"

  private static let remoteSetting = "llavero.remote"
  private static let branchSetting = "llavero.branch"
  private static let remoteReference = "refs/llavero/remote"
  private static let seenReference = "refs/llavero/seen"
  private static let outgoingReference = "refs/llavero/outgoing"

  let git: GitProgram
  /// As git takes it.
  let remote: String
  let branch: String

  /// Whether git accepts the name of a branch, by the rules of git-check-ref-format(1).
  static func canBeBranch(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard 1...200 ~= bytes.count, name != "@", bytes.first != UInt8(ascii: "-") else { return false }
    if name.hasPart("..") || name.hasPart("@{") || name.hasPart("//") || name.hasSuffix(".") { return false }
    if bytes.contains(where: { $0 <= 0x20 || $0 == 0x7f || "~^:?*[\\".utf8.contains($0) }) { return false }
    return bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty && part.first != UInt8(ascii: ".") && !part.suffix(5).elementsEqual(".lock".utf8)
    }
  }

  init(_ git: GitProgram, remote: String, branch: String) {
    self.git = git
    self.remote = remote
    self.branch = branch
  }

  /// Makes the clone, unless it exists. Fetches nothing.
  func make() throws(SharingFault) {
    _ = try SharingFault.ofKeychain { () throws(KeychainError) in try Folder(creating: git.folder) }
    if FileStatus.isThere(git.folder + "/HEAD") { return }
    _ = try git.output(["init", "--quiet", "--bare", "--template=", git.folder])
    try notePlace()
  }

  /// After how many milliseconds a lock of git's counts as left by a killed git. A living one holds these for moments.
  private static let abandonedAfter: Int64 = 60_000

  /// Removes the locks of references and settings that killed gits have left, because each later git would fail. Needs
  /// the exchange's lock.
  func removeAbandonedLocks() {
    for place in [git.folder, git.folder + "/refs/llavero"] {
      guard let folder = try? Folder(opening: place), let names = try? folder.names() else { continue }
      for name in names where name.utf8.suffix(5).elementsEqual(".lock".utf8) {
        guard let status = try? folder.status(of: name),
          Timestamp.now.milliseconds - status.modificationDate.milliseconds > Self.abandonedAfter
        else { continue }
        unlinkat(folder.descriptor, name, 0)
      }
    }
  }

  struct Place: Equatable, Sendable {
    /// As git takes it.
    let remote: String
    let branch: String
  }

  var place: Place { Place(remote: remote, branch: branch) }

  private func notePlace() throws(SharingFault) {
    _ = try git.output(["config", Self.remoteSetting, remote])
    _ = try git.output(["config", Self.branchSetting, branch])
  }

  /// Notes that the clone is for this remote from now on.
  ///
  /// - Parameter isNew: whether to forget the commits seen in another one.
  func moveHere(isNew: Bool) throws(SharingFault) {
    try notePlace()
    if isNew { _ = try git.output(["update-ref", "-d", Self.seenReference]) }
  }

  /// The place for which the clone was made; `nil` if there is none.
  func former() throws(SharingFault) -> Place? {
    guard FileStatus.isThere(git.folder + "/HEAD"), let remote = try setting(Self.remoteSetting) else {
      return nil
    }
    return Place(remote: remote, branch: try setting(Self.branchSetting) ?? Self.defaultBranch)
  }

  func setting(_ name: String) throws(SharingFault) -> String? {
    let answer = try git.run(["config", "--get", name])
    return answer.status == 0 ? Self.lines(answer.output).first : nil
  }

  /// Fetches the branch. Returns its commit, or `nil` if the remote has no such branch.
  func fetch() throws(SharingFault) -> String? {
    let answer = try git.run([
      "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", remote,
      "+refs/heads/\(branch):\(Self.remoteReference)",
    ])
    if answer.status == 0 { return try commit(of: Self.remoteReference) }
    guard answer.said.hasPart("couldn't find remote ref") else {
      throw SharingFault("fetch", status: answer.status, said: answer.said, isPush: false)
    }
    return nil
  }

  /// `nil` if there is no such reference.
  func commit(of reference: String) throws(SharingFault) -> String? {
    let answer = try git.run(["rev-parse", "--verify", "--quiet", reference + "^{commit}"])
    if answer.status != 0 { return nil }
    return Self.lines(answer.output).first
  }

  /// The commit that this machine has seen last; `nil` if it has seen none.
  func seen() throws(SharingFault) -> String? { try commit(of: Self.seenReference) }

  func see(_ commit: String) throws(SharingFault) {
    _ = try git.output(["update-ref", Self.seenReference, commit])
  }

  /// Whether a commit descends from another one.
  func comes(_ commit: String, from ancestor: String) throws(SharingFault) -> Bool {
    if commit == ancestor { return true }
    let answer = try git.run(["merge-base", "--is-ancestor", ancestor, commit])
    switch answer.status {
    case 0: return true
    case 1: return false
    default: throw SharingFault("merge-base", status: answer.status, said: answer.said, isPush: false)
    }
  }

  enum Change {
    /// One more file among the changes.
    case added([UInt8])
    /// A whole vault with its slots, instead of everything that is there.
    case whole([UInt8], slots: [(id: String, file: [UInt8])])
  }

  /// Makes a commit.
  ///
  /// - Parameters:
  ///   - change: `nil` for none.
  ///   - parent: `nil` for the first commit.
  ///   - message: one line.
  func commit(
    _ change: Change?, after parent: String?, message: String
  ) throws(SharingFault) -> String {
    var stream = Secret()
    func append(_ text: String) { stream.append(contentsOf: ByteString(text)) }
    func append(data bytes: [UInt8]) {
      append("data \(bytes.count)\n")
      bytes.withUnsafeBytes { stream.append($0) }
      append("\n")
    }
    append("feature done\nreset \(Self.outgoingReference)\ncommit \(Self.outgoingReference)\n")
    append("committer \(try committer()) now\n")
    append(data: Array((message + "\n").utf8))
    if let parent { append("from \(parent)\n") }
    switch change {
    case nil: break
    case .added(let file):
      append("M 100644 inline \(Self.changesName)/\(Self.newName()).age\n")
      append(data: file)
    case .whole(let file, let slots):
      append("D \(Self.changesName)\nD \(Self.slotsName)\n")
      append("M 100644 inline \(Self.wholeName)\n")
      append(data: file)
      for slot in slots {
        append("M 100644 inline \(Self.slotsName)/\(slot.id).age\n")
        append(data: slot.file)
      }
    }
    append("done\n")
    return try commit(at: Self.outgoingReference, from: stream)
  }

  /// - Parameter stream: what makes the commit at this reference, as git-fast-import(1) takes it.
  func commit(at reference: String, from stream: borrowing Secret) throws(SharingFault) -> String {
    _ = try git.output(["fast-import", "--quiet", "--force", "--date-format=now"], sending: stream)
    guard let commit = try commit(of: reference) else {
      throw .failed(operation: "fast-import", status: 0, said: "it has made no commit")
    }
    return commit
  }

  /// `NAME <ADDRESS>` from git's configuration, else llavero's own.
  private func committer() throws(SharingFault) -> String {
    let answer = try git.run(["-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT"])
    guard answer.status == 0, let line = Self.lines(answer.output).first,
      let end = line.lastIndex(of: ">")
    else { return "llavero <llavero@localhost>" }
    return String(line[...end])
  }

  static func newName() -> String {
    hexadecimal((0..<16).map { _ in UInt8.random(in: .min ... .max) })
  }

  /// Sends a commit to the branch, never by force.
  ///
  /// - Throws: ``SharingFault/refused(said:)`` if the repository doesn't take it; other faults.
  func push(_ commit: String) throws(SharingFault) -> Sent {
    let sent = try send("\(commit):refs/heads/\(branch)")
    if case .refused(let reason) = sent { throw .refused(said: reason) }
    if sent == .done { _ = try git.output(["update-ref", Self.remoteReference, commit]) }
    return sent
  }

  /// A repository's answer to a reference.
  enum Sent: Hashable {
    case done
    /// Somebody else was faster, or holds this lock of git's.
    case rejected(lock: String?)
    /// The repository doesn't take it, for this reason, which may be empty.
    case refused(reason: String)
  }

  /// - Parameter options: further options of `git push`.
  /// - Throws: ``SharingFault`` if the repository takes nothing at all.
  func send(_ reference: String, _ options: [String] = []) throws(SharingFault) -> Sent {
    let answer = try git.run(
      ["push"] + options + ["--porcelain", "--no-verify", "--", remote, reference])
    if answer.status == 0 { return .done }
    for line in Self.lines(answer.output) where line.hasPrefix("!") {
      if line.hasPart("[rejected]") { return .rejected(lock: nil) }
      guard line.hasPart("[remote rejected]") else { continue }
      let reasons = [
        "failed to update ref", "cannot lock ref", "incorrect old value", "failed to lock", "fetch first",
        "already exists",
      ]
      if reasons.contains(where: { line.hasPart($0) || answer.said.hasPart($0) }) {
        return .rejected(lock: SharingFault.lock(in: answer.said))
      }
      let reason = line.lastIndex(of: "(").map { String(line[$0...].dropFirst().dropLast()) } ?? ""
      let said = answer.said.hasPart("remote: ") ? SharingFault.remoteLine(of: answer.said) : nil
      return .refused(reason: said.map { "\(reason): \($0)" } ?? reason)
    }
    throw SharingFault("push", status: answer.status, said: answer.said, isPush: true)
  }

  /// Packs loose objects, which git otherwise does by itself. Failures are ignored.
  func tidy() {
    _ = try? git.run(["-c", "gc.auto=2000", "-c", "gc.autoDetach=false", "gc", "--auto", "--quiet"])
  }

  static func lines(_ output: borrowing Secret) -> [String] {
    output.withUnsafeBytes { bytes in
      bytes.split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self) }
    }
  }
}
