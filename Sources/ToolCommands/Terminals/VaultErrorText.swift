import EncryptedFile
import Keychain
import KeychainChoice
import PrivateFiles

extension Failure {
  init(damaged path: String, _ detail: String) {
    let message = "cannot use the keychain \(path): \(detail)"
    let vault = VaultOfError { $0.vaultFile == path }
    guard let vault, let good = vault.newestGoodState else {
      self.init(
        message,
        hint: vault?.kept.map { kept in
          """
          nothing was changed; \(kept.command("vault", "restore")) puts back the newest state that is kept, with what the file \
          still gives
          """
        } ?? vault?.takingAnew ?? "nothing was changed; put back a copy of the file from a backup",
        status: .keychain)
      return
    }
    self.init(
      message,
      hint: """
        nothing was changed; the last good state is write \(good.number) of \(prose: dateText(good.written, seconds: true)): \
        \(vault.command("vault", "restore")) puts it back with what the file still gives
        """, status: .keychain)
  }

  init(wrongIdentity path: String) {
    if let location = try? VaultLocation(), path.hasPrefix(location.vaultFolder + "/") {
      self.init("\(path) belongs to another keychain", hint: "move it away", status: .keychain)
      return
    }
    guard let vault = VaultOfError({ $0.identityFile == path }), let good = vault.newestGoodState else {
      self.init(
        "the key file \(path) is not the one of this keychain",
        hint: """
          if the keychain was rotated on another machine, copy \(words: path) from there; otherwise put back the one that \
          belongs to it
          """, status: .keychain)
      return
    }
    // With a changed header, nobody can tell which bytes are wrong: it looks like another file's.
    self.init(
      "the key file \(path) opens earlier states of the keychain, but not the present one",
      hint: """
        if the key was changed elsewhere, append that machine's \(words: path) to this one, which still opens what is \
        only here; else the file is damaged, or another keychain's, and \(vault.command("vault", "restore")) puts \
        write \(good.number) of \(prose: dateText(good.written, seconds: true)) back
        """, status: .keychain)
  }

  init(rolledBack path: String, generation: Int64, seen: Int64?) {
    let accepting = VaultOfError.command("vault", "accept", at: path)
    guard let seen else {
      self.init(
        "the keychain \(path) has another key than this machine saw last",
        hint:
          "if it was you who changed its key elsewhere, or put an older state back, say so with \(accepting)",
        status: .keychain)
      return
    }
    self.init(
      "the keychain \(path) is out of date: it holds write \(generation), but this machine has seen write \(seen)",
      hint: "if it was you who put it back, say so with \(accepting)", status: .keychain)
  }

  /// A locked vault that only a recovery code opens besides the key file, which isn't there.
  init(lackingKeyFile vault: VaultOfError) {
    self.init(
      """
      the key file \(vault.location.identityFile) isn't on this machine, and \(NobodyAsked.text) for a recovery code of the \
      keychain \(vault.location.vaultFile)
      """,
      hint: "put it back, or \(NobodyAsked.asking(by: vault.command("unlock")))",
      status: .keychain)
  }

  init(wrongPassphraseOf path: String) {
    let vault = VaultOfError { $0.vaultFile == path }
    if let vault, vault.lacksKeyFile {
      self.init(
        "that recovery code does not open the keychain \(path)",
        hint: "put back the key file \(words: vault.location.identityFile), which opens it", status: .keychain
      )
      return
    }
    let listing: Hint = .listingSlots(of: path)
    self.init(
      "that passphrase does not open the keychain \(path)",
      hint: vault?.hasRecoveryCode == true
        ? "a recovery code can be typed here, too; see what opens it with \(listing)"
        : "see what opens it with \(listing)",
      status: .keychain)
  }

  init(nothingOpens path: String) {
    let vault = VaultOfError { $0.vaultFile == path }
    let listed = vault?.listed
    if let listed, listed.kind.hasRepository {
      let identity = listed.value(of: ListedKeychain.identityOption)
      if let identity, !FileStatus.isThere(identity) {
        self.init(lostIdentity: identity, of: listed.name)
        return
      }
      self.init(
        "nothing here opens the keychain \(listed.name)",
        hint: "see who can open it with \(command: "llavero", "keychain", "member", "list", listed.name)",
        status: .keychain)
      return
    }
    if let lost = vault?.missingIdentity {
      self.init(
        "nothing here opens the keychain \(path): the key file \(lost), which does, is missing",
        hint:
          "put it back, or mount the disk that it is on; see what else opens it with \(.listingSlots(of: path))",
        status: .keychain)
      return
    }
    if let vault, let (slot, copy) = vault.removedSlot {
      self.init(removed: slot, copy, of: vault)
      return
    }
    self.init(
      "nothing here opens the keychain \(path)",
      hint: "see what does with \(.listingSlots(of: path)); LLAVERO_IDENTITY names the file of a key",
      status: .keychain)
  }

  /// - Parameter copy: the copy of the removed slot. Its key is the vault's until that is changed.
  private init(removed slot: String, _ copy: String, of vault: VaultOfError) {
    let key = vault.location.identityFile
    self.init(
      "nothing here opens the keychain \(vault.location.vaultFile) any more: its slot \(slot) was removed, here or on "
        + "another machine",
      hint: """
        add it again where something opens the keychain, with \(vault.command("slot", "add")); whoever knows what opened \
        the slot gets its key with (umask 077; \(words: "age", "-d", "-o", key, copy))
        """, status: .keychain)
  }

  /// - Parameter keychain: the name of the shared keychain that the identity opens.
  private init(lostIdentity path: String, of keychain: String) {
    self.init(
      "the key file \(path), which opens the keychain \(keychain), is missing",
      hint: Self.wayWithoutIdentity(of: keychain), status: .keychain)
  }

  /// What to do if a member's identity for a shared keychain is gone.
  static func wayWithoutIdentity(of keychain: String) -> Hint {
    """
    put it back from a backup; else take the keychain out and add it again, with \
    \(command: "llavero", "keychain", "remove", keychain), and a member lets you in with another one
    """
  }

  init(missing path: String) {
    if path.hasSuffix("/vault.age") {
      let message = "the keychain \(path) is missing, though there was one"
      // A keychain that is being added isn't in the list yet, and hints about the user's own don't apply to it.
      guard let vault = VaultOfError({ $0.vaultFile == path }) else {
        self.init(message, hint: "put it back, or mount the disk that it is on", status: .keychain)
        return
      }
      let back: Hint
      if let kept = vault.kept {
        back =
          "put it back, or bring back the newest state that is kept with \(kept.command("vault", "restore"))"
      } else if let copy = vault.conflictCopy {
        back = "put it back, or take the copy that a sync program left with \(command: "mv", copy, path)"
      } else if let anew = vault.takingAnew {
        back = anew
      } else {
        back = "put it back, or mount the disk that it is on"
      }
      let moved: Hint = vault.listed == nil ? "; if it moved, set XDG_DATA_HOME" : ""
      self.init(
        message, hint: "\(back)\(moved); \(VaultOfError.goingOn(without: vault.listed))", status: .keychain)
    } else if path == VaultLocation.environmentVariable("HOME") {
      self.init(
        "your home folder \(path) doesn't exist",
        hint: """
          mount it, or set HOME to the right one; without a home, set XDG_DATA_HOME and XDG_STATE_HOME
          """, status: .keychain)
    } else if path.hasSuffix("/" + KeychainList.fileName) {
      let copy = path + KeychainList.copySuffix
      self.init(
        "the list of keychains \(path) is missing, though there was one",
        hint: """
          put it back with \(command: "cp", copy, path); to use no other keychains, remove \(words: copy)
          """, status: .keychain)
    } else if let keychain = VaultOfError.identified(by: path) {
      self.init(lostIdentity: path, of: keychain)
    } else if !path.hasSuffix("/identity.txt") {
      self.init("\(path) is a broken link", hint: "put back the file that it links to", status: .keychain)
    } else if let vault = VaultOfError({ $0.identityFile == path }), let (slot, copy) = vault.removedSlot {
      self.init(removed: slot, copy, of: vault)
    } else {
      var hint: Hint = "put it back from a backup, or from another machine that opens the keychain"
      if let vault = VaultOfError({ $0.identityFile == path }), vault.listed == nil {
        hint = "\(hint); if there is no copy, \(Hint.beginningWithout(vault.location.vaultFolder))"
      }
      self.init(
        "the key file \(path) is missing, and the keychain can't be opened without it", hint: hint,
        status: .keychain)
    }
  }

  init(elsewhere path: String, known: String) {
    // Only a keychain that is being added is neither the user's own nor in the list.
    guard let vault = VaultOfError({ $0.vaultFile == path }) else {
      self.init(
        "there is no keychain at \(path); the one that had this name before is \(known)",
        hint: "add that one, or choose another name for a new one", status: .keychain)
      return
    }
    guard FileStatus.isThere(known) else {
      self.init(
        "the keychain \(known) is missing, though there was one; nor is there one at \(path)",
        hint: """
          put it back, or to the second place if it moved there; \(VaultOfError.goingOn(without: vault.listed))
          """, status: .keychain)
      return
    }
    let message = "there is no keychain at \(path); the one that is in use is \(known)"
    if let listed = vault.listed {
      self.init(message, hint: "put it back; \(VaultOfError.goingOn(without: listed))", status: .keychain)
      return
    }
    let end = "/llavero/vault.age"
    let folder: Hint = known.hasSuffix(end) ? "to \(words: known.dropLast(end.count))" : "as it was then"
    self.init(
      message,
      hint: "set XDG_DATA_HOME \(folder); to have another one, set XDG_STATE_HOME to another folder, too",
      status: .keychain)
  }
}
