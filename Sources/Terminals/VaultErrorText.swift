import EncryptedFile
import Keychain
import PrivateFiles

extension Failure {
  init(damaged path: String, _ detail: String) {
    let message = "cannot use the keychain \(path): \(detail)"
    guard let good = Self.lastGoodState({ $0.vaultFile == path }) else {
      self.init(
        message,
        hint: Self.hasEarlierStates(of: path)
          ? """
          nothing was changed; 'llavero vault salvage' puts back the newest state that is kept, with what the file \
          still gives
          """
          : "nothing was changed; put back a copy of the file from a backup", status: .keychain)
      return
    }
    self.init(
      message,
      hint: """
        nothing was changed; the last good state is write \(good.number) of \(prose: good.written): \
        'llavero vault salvage' puts it back with what the file still gives
        """, status: .keychain)
  }

  init(wrongIdentity path: String) {
    if let location = try? VaultLocation(), path.hasPrefix(location.vaultFolder + "/") {
      self.init("\(path) belongs to another keychain", hint: "move it away", status: .keychain)
      return
    }
    guard let good = Self.lastGoodState({ $0.identityFile == path }) else {
      self.init(
        "the identity \(path) is not the one of this keychain",
        hint: "put the identity back that was made with the keychain", status: .keychain)
      return
    }
    // A changed header looks like that of another file: which of its bytes are wrong is unknown.
    self.init(
      "the identity \(path) opens earlier states of the keychain, but not the present one",
      hint: """
        if the key was changed elsewhere, append that machine's \(words: path) to this one, which still opens what is \
        only here; else the file is damaged, and 'llavero vault salvage' puts write \(good.number) of \
        \(prose: good.written) back
        """, status: .keychain)
  }

  /// Whether any earlier state of a vault is kept, even if nobody can tell yet whether it is good.
  private static func hasEarlierStates(of path: String) -> Bool {
    guard let location = try? VaultLocation(), location.vaultFile == path else { return false }
    return EncryptedFileKeychain(at: location).hasEarlierStates
  }

  /// The path of a copy that a sync program has put beside a vault; `nil` if there is none, or the vault is another one.
  private static func conflictCopy(of path: String) -> String? {
    guard let location = try? VaultLocation(), location.vaultFile == path else { return nil }
    return EncryptedFileKeychain(at: location).conflictCopyPaths.first
  }

  private static func lastGoodState(_ isMeant: (VaultLocation) -> Bool) -> Generation? {
    guard let location = try? VaultLocation(), isMeant(location) else { return nil }
    return EncryptedFileKeychain(at: location).newestGoodGeneration()
  }

  init(rolledBack path: String, generation: Int64, seen: Int64?) {
    guard let seen else {
      self.init(
        "the keychain \(path) has another key than the one that was seen here last",
        hint:
          "if it was you who changed its key elsewhere, or put an older state back, say so with 'llavero vault accept'",
        status: .keychain)
      return
    }
    self.init(
      "the keychain \(path) is an older state of itself: it is of write \(generation), and write \(seen) was seen here",
      hint: "if it was you who put it back, say so with 'llavero vault accept'", status: .keychain)
  }

  init(missing path: String) {
    if path.hasSuffix("/vault.age") {
      let back: Hint
      if Self.hasEarlierStates(of: path) {
        back = "put it back, or bring back the newest state that is kept with 'llavero vault salvage'"
      } else if let copy = Self.conflictCopy(of: path) {
        back = "put it back, or take the copy that a sync program left with \(command: "mv", copy, path)"
      } else {
        back = "put it back, or mount the disk that it is on"
      }
      self.init(
        "the keychain \(path) is missing, though there was one",
        hint:
          "\(back); if it moved, set XDG_DATA_HOME; to begin without it, type 'llavero init --start-over'",
        status: .keychain)
    } else if !path.hasSuffix("/identity.txt") {
      self.init("\(path) leads to nothing", hint: "put back what the link leads to", status: .keychain)
    } else {
      self.init(
        "the identity \(path) is missing, without which the keychain can't be opened",
        hint: "put it back from a backup", status: .keychain)
    }
  }

  init(elsewhere path: String, known: String) {
    guard FileStatus.isThere(known) else {
      self.init(
        "the keychain \(known) is missing, though there was one; nor is there one at \(path)",
        hint: """
          put it back, or to the second place if it moved there; to begin without it, type \
          'llavero init --start-over'
          """, status: .keychain)
      return
    }
    let end = "/llavero/vault.age"
    let folder = known.hasSuffix(end) ? String(known.dropLast(end.count)) : "its folder's"
    self.init(
      "there is no keychain at \(path); the one that is in use is \(known)",
      hint:
        "set XDG_DATA_HOME to \(words: folder); to have another one, set XDG_STATE_HOME to another folder, too",
      status: .keychain)
  }
}
