import Keychain

extension SharingFault {
  /// For people and notes: without secrets, in one line, and not yet safe for a terminal.
  var text: String {
    switch self {
    case .noGit: "the program git was not found"
    case .tooSlow(let operation, let milliseconds):
      "git \(operation) was not done after \(milliseconds / 1000) seconds"
    case .unreachable(let said): "the repository can't be reached: \(said)"
    case .noRepository(let said): "there is no repository at that place: \(said)"
    case .loginRefused(let said): "the repository's host wants another login: \(said)"
    case .hostKey(let said): "the key of the repository's host is not known here, or has changed: \(said)"
    case .refused(let said): "the repository takes no changes from here: \(said)"
    case .failed(let operation, let status, let said): "git \(operation) ended with status \(status): \(said)"
    case .rewritten(let seen, let found):
      found.map {
        "somebody has rewritten the repository's history: its commit \($0.prefix(12)) doesn't come from "
          + "\(seen.prefix(12)), which was seen there"
      } ?? "the branch is gone from the repository, where it had the commit \(seen.prefix(12))"
    case .keychainRemoved(let commit):
      "the keychain was removed from the repository, in the commit \(commit.prefix(12))"
    case .brokenClone: "the clone of the repository on this machine is damaged"
    case .tooMuch(let what): "the repository has too much in it: \(what)"
    case .noKeychain: "there is no keychain in the repository"
    case .contended(let attempts): "others changed the repository first, \(attempts) times"
    case .locked(let file): "the repository takes nothing: a lock of git's is in the way there, \(file)"
    case .notMember(true): "nothing on this machine opens the repository any more"
    case .notMember(false):
      "nothing on this machine opens the keychain in the repository: you aren't a member of it"
    case .unusable(let detail): "the repository's contents can't be used: \(detail)"
    case .untrustedKey(let detail, let folders):
      "the repository's contents can't be used: \(detail)"
        + (folders.isEmpty ? "" : "; the former copy is in \(folders.joined(separator: " and "))")
    case .otherKeychain: "the repository has a different keychain than this machine"
    case .busy: "another process is using it"
    case .keychain: "the keychain can't be used"
    }
  }
}
