import CredentialProtocols
import EncryptedFile
import Keychain
import PrivateFiles

extension KeychainSelection {
  /// Whether to say that a keychain was created or chosen. A tool's user sees that on a terminal; a tool that reads
  /// standard error would take it for a failure.
  var tellsOfBeginning: Bool { !isForTool || StandardStreams.isTerminal(2) }

  func tell(_ notice: EncryptedFileKeychain.Notice, of location: VaultLocation) {
    switch notice {
    case .created(let location):
      if !tellsOfBeginning { return }
      StandardStreams.say(
        "made the keychain \(location.vaultFile); "
          + "its key is \(location.identityFile)")
    case .waiting(let path): Self.tellWaiting(path)
    case .merged(let copies):
      StandardStreams.say(
        "merged \(copies == 1 ? "a copy" : "\(copies) copies") of the keychain that a sync program had put beside it"
      )
    case .unmerged(let path, .otherKey):
      StandardStreams.say(
        "\(path) was not merged, because it is encrypted for another key; "
          + "\(Hint.merging(path)) merges it, or says what is missing")
    case .unmerged(let path, let error):
      StandardStreams.say("\(path) was not merged: \(error.message)")
    case .undecided(let path):
      StandardStreams.say(
        "another file has replaced the last change made here, and may lack it; "
          + "\(Hint.merging(path)) takes it in")
    case .setAside(let path):
      StandardStreams.say(
        "another file has replaced the last change made here, and may lack it; that change is kept for 30 days, and "
          + "\(Hint.merging(path)) merges it")
    case .unfinished(let path):
      StandardStreams.say(
        "an earlier unfinished write is kept for 30 days; "
          + "\(Hint.merging(path)) merges its items")
    case .slotsMerged(let changes):
      StandardStreams.say(
        "the ways to open the keychain have changed here as in another copy: \(changes.text); "
          + "\(Hint.listingSlots(of: location.vaultFile)) shows what opens it now")
    case .slotsLeft(let path):
      StandardStreams.say(
        "\(path) is an unfinished write, so only its items were merged; the same slots open the keychain")
    case .identityNotReplaced(let path, let error):
      StandardStreams.say(
        "the key of the keychain is \(path) now: \(error.message); keep that file, until a later write can "
          + "put it in place")
    case .unnoted(let error):
      StandardStreams.say(
        "stored, but this machine can't note that it was: \(error.message); an older file in the keychain's "
          + "place would not be noticed")
    case .unsure(let error): StandardStreams.warn(.unsure(error))
    case .uncopied(let error):
      StandardStreams.say(
        "stored, but without a copy: \(error.message); a file that is copied over the keychain now would "
          + "replace what was stored")
    case .formerPutAside(let path):
      StandardStreams.say("the former keychain's earlier states are now in \(path)")
    case .lost(let write, let kept?):
      StandardStreams.say(
        "write \(write) is lost; the newest copy is write \(kept.number), and "
          + "\(Hint.restoring(write: kept.number, of: location.vaultFile)) goes back to it")
    case .lost(let write, nil):
      StandardStreams.say(
        "write \(write) is lost; no copy is newer than this file")
    case .formerLost(let write, let kept):
      let found = kept.map { "; its newest copy is \($0)" } ?? ""
      StandardStreams.say("write \(write) of the former keychain is lost\(found)")
    case .newestUnreadable(let seen, let readable):
      StandardStreams.say(
        "write \(seen) is the last seen here, and can't be read; the newest readable one is write \(readable)"
      )
    case .slotsNotTried(let ids):
      let slots = ids.map { "slot \($0)" }.joined(separator: ", ")
      StandardStreams.say(
        "nothing here opens the new key that an age plugin wrapped for \(slots); try it where its identity is"
      )
    case .waitingForPassphrase:
      StandardStreams.say("waiting for the passphrase that another process asks for")
    // Said with the next question, or as the error.
    case .mistypedRecoveryCode: break
    }
  }

  static func tell(_ notice: DesktopKeychainSettings.Notice) {
    switch notice {
    case .prompting(let program):
      StandardStreams.say(
        "waiting for the prompt of \(program ?? "the Secret Service"); "
          + "'llavero unlock --terminal' asks on a terminal instead")
    case .waiting(let path): tellWaiting(path)
    case .skipped(let collection):
      StandardStreams.say(
        "the collection \(collection) is locked and left out; "
          + "unlock it with \(command: "llavero", "unlock", "--collection", collection)")
    case .reading(let count, let program):
      StandardStreams.say(
        "reading \(count) items from \(program ?? "the Secret Service"), which takes a while")
    case .notLasting(let collection):
      StandardStreams.say("the collection \(collection) is lost when you log out")
    }
  }

  private static func tellWaiting(_ path: String) {
    StandardStreams.say("waiting for another process that holds \(path)")
  }
}
