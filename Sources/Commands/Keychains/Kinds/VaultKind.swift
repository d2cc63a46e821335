import Bytes
import EncryptedFile
import Keychain
import KeychainChoice
import PrivateFiles
import ToolCommands

/// A kind of keychain that is an encrypted file on this machine.
protocol VaultKind: ManagedKind {
  /// The keychain's kind, place, and the state of its repository.
  func firstRows(_ keychain: OpenKeychain, _ sharing: SharingState?) -> [[String]]

  /// - Parameter state: the row that says whether the file is unlocked, if it can be locked.
  func protectionRows(
    _ location: VaultLocation, _ summary: VaultSummary, _ choice: KeychainChoice, _ state: [[String]]
  ) -> [[String]]

  /// The state of the file's repository; `nil` if it has none.
  ///
  /// - Parameter isOpen: whether the file can be opened.
  func sharing(_ listed: ListedKeychain, _ file: EncryptedFileKeychain, isOpen: Bool) -> SharingState?

  /// Throws the error that keeps a locked file from being opened, if nobody is ever asked for it.
  func refuseLocked(_ file: EncryptedFileKeychain) throws(KeychainError)

  func examineSharing(_ listed: ListedKeychain, _ file: EncryptedFileKeychain, _ findings: inout [Finding])
}

extension VaultKind {
  static func file(of keychain: OpenKeychain) -> EncryptedFileKeychain {
    guard let file = keychain.file else {
      preconditionFailure("a keychain of this kind is an encrypted file")
    }
    return file
  }

  func status(of keychain: OpenKeychain) throws(KeychainError) -> KindStatus {
    let file = Self.file(of: keychain)
    let (choice, location) = (keychain.choice, file.location)
    let summary = try file.summary()
    let state = try file.unlockState()
    // If it is still locked, nobody is asked to unlock it for this.
    let isOpen = summary?.contents != nil
    let sharing = sharing(choice.keychain, file, isOpen: isOpen)
    let rows = firstRows(keychain, sharing) + rows(location, summary, choice, state)
    return KindStatus(
      rows: rows, expiring: isOpen ? try expiring(in: keychain) : nil, sharing: sharing,
      report: Self.report(location, summary, state)
        + ["repository": choice.kind.hasRepository ? choice.keychain.shownPlace : nil])
  }

  /// The secrets that expire soon. If another keychain of the list can't be used, this one's still count.
  private func expiring(in keychain: OpenKeychain) throws(KeychainError) -> ExpiringListing? {
    let limit = Timestamp.now.seconds + ExpiringListing.soon
    do throws(KeychainError) {
      return try ExpiringListing(of: keychain.keychain.items(matching: .all), in: keychain, by: limit)
    } catch {
      if keychain.list == nil { throw error }
      StandardStreams.say("\(error.message)")
      return nil
    }
  }

  private func rows(
    _ location: VaultLocation, _ summary: VaultSummary?, _ choice: KeychainChoice, _ state: UnlockState?
  ) -> [[String]] {
    guard let summary else {
      return [["items", "none yet; the first login that is stored makes the keychain"]]
    }
    let isLockable = summary.hasPassphrase && !summary.hasIdentityFile
    let unkept = UnaskedOpening(summary)?.state(isOpen: summary.contents != nil) ?? "locked"
    var rows = protectionRows(
      location, summary, choice, isLockable ? [["state", state?.text ?? unkept]] : [])
    if let contents = summary.contents {
      rows.append(["items", "\(contents.count)"])
      rows.append(["changed", dateText(contents.written, seconds: true)])
    } else {
      rows.append(["items", "unknown, because the keychain is locked"])
    }
    rows.append(["size", "\(summary.size) bytes"])
    return rows
  }

  private static func report(
    _ location: VaultLocation, _ summary: VaultSummary?, _ state: UnlockState?
  ) -> JSONObject {
    let place: JSONObject = ["path": location.vaultFile, "exists": summary != nil]
    guard let summary else { return place }
    let unlocked = state.map { state -> JSONObject in
      ["by": "agent", "idle": state.idle, "for": state.total]
    }
    return place + [
      "uuid": summary.uuid, "protection": protectionName(summary),
      "identity": summary.hasIdentityFile ? location.identityFile : nil,
      "ways": summary.ways.map(\.kind.name), "locked": summary.contents == nil, "unlocked": unlocked,
    ] + [
      "items": summary.contents?.count, "generation": summary.contents?.generation,
      "changed": summary.contents?.written, "size": summary.size,
    ]
  }

  /// The kind of protection: a key file on this machine, a passphrase, or only other slots.
  private static func protectionName(_ summary: VaultSummary) -> String {
    if summary.hasIdentityFile || summary.ways.isEmpty { return "identity-file" }
    return summary.hasPassphrase ? "passphrase" : "slots"
  }

  func describe(_ keychain: OpenKeychain, in row: inout KeychainRow) throws(KeychainError) {
    let file = Self.file(of: keychain)
    row.place = file.location.vaultFolder
    let summary = try file.summary()
    row.isLocked = summary != nil && summary?.contents == nil
    row.sharing = sharing(row.keychain, file, isOpen: !row.isLocked)
    try row.keychain.checkMembership(in: file)
    if row.isLocked { try refuseLocked(file) }
    row.count = summary == nil ? 0 : summary?.contents?.count
  }

  func examine(_ keychain: OpenKeychain, _ findings: inout [Finding]) {
    let (file, listed) = (Self.file(of: keychain), keychain.choice.keychain)
    examineSharing(listed, file, &findings)
    do throws(KeychainError) {
      try listed.checkMembership(in: file)
      let summary = try file.summary()
      if let summary, summary.contents == nil {
        try refuseLocked(file)
        let state = Finding(file, lockedAs: summary)
        if state.problem != nil { findings.append(state) }
      }
      let count = summary?.contents.map { "\($0.count)" }
      findings.append(Finding("items", count ?? "unknown, because it is locked"))
      if let unsent = sharing(listed, file, isOpen: summary?.contents != nil)?.unsent {
        findings.append(Finding("not sent yet", unsent))
      }
    } catch {
      findings.append(Finding("items", nil, problem: error))
    }
  }

  func count(in keychain: OpenKeychain) -> ItemCount? {
    do throws(KeychainError) {
      guard let summary = try Self.file(of: keychain).summary() else { return ItemCount(logins: 0) }
      return summary.contents.map { ItemCount(logins: $0.count) }
    } catch {
      return nil
    }
  }

  // MARK: Locking

  func unlock(_ keychain: OpenKeychain, as command: UnlockCommand) throws(KeychainError) {
    let file = Self.file(of: keychain)
    if KeychainEnvironment().keepsNothingUnlocked {
      throw .failure(
        "nothing may keep the keychain unlocked, because LLAVERO_UNLOCK_CACHE is none",
        hint: "unset LLAVERO_UNLOCK_CACHE, or run on a terminal what uses the keychain", status: .usage)
    }
    // A duration or passphrase has to take effect, even if the keychain is already unlocked.
    let anew =
      command.again || command.total != nil || command.idle != nil || command.keychain.passphraseFd != nil
    let outcome: EncryptedFileKeychain.Unlocked
    do throws(KeychainError) {
      outcome = try file.unlock(anew: anew)
    } catch {
      guard case .locked = error, (try? file.isLocked()) == false else { throw error }
      let why =
        command.again
        ? "\(NobodyAsked.text) for the passphrase"
        : "changing the time takes the passphrase, and \(NobodyAsked.text) for it"
      throw .failure(
        "\(why); the keychain is unlocked as before",
        hint: "give it on a terminal, or with --passphrase-fd", status: .keychain)
    }
    switch outcome {
    case .noVault: StandardStreams.say("there is nothing to unlock, because there is no keychain yet")
    case .notNeeded:
      StandardStreams.say(
        "there is nothing to unlock: the key of the keychain is \(file.location.identityFile)")
    case .already(_) where command.saying.quiet, .kept(_) where command.saying.quiet: break
    case .already(let state): StandardStreams.say("already \(state.text)")
    case .kept(let state):
      StandardStreams.say("\(state.text)")
      if command.total != nil, command.idle == nil, state.canEndEarly, StandardStreams.isTerminal(2) {
        StandardStreams.say("hint: --idle changes the first of these times")
      }
    }
  }

  func lock(
    _ keychain: OpenKeychain, as command: LockCommand
  ) throws(KeychainError) -> TextForTerminal? {
    // Those are locked already.
    if command.all { return "all encrypted files are locked" }
    let file = Self.file(of: keychain)
    switch try file.lock() {
    case .noVault:
      StandardStreams.say("there is nothing to lock, because there is no keychain yet")
      return nil
    case .notPossible:
      // A key that is missing, or another keychain's, is an error here as for everything else.
      let hasPassphrase = try file.summary()?.hasPassphrase ?? false
      // What a script runs when somebody logs out has nothing to do here, and has not failed.
      sayNothingToLock(file, hasPassphrase: hasPassphrase, command)
      return nil
    case .locked: break
    case .kept(let folders):
      if let failure = KeychainError(keptByAgentsIn: folders) { throw failure }
    }
    // Without opening the file again.
    guard let opening = UnaskedOpening((try? file.waysByHeader()) ?? []) else {
      return "the keychain is locked"
    }
    return "the keychain is locked, but \(withTilde(opening.sentence))"
  }

  /// Says which key opens the file without asking anybody, and what to do about it.
  private func sayNothingToLock(
    _ file: EncryptedFileKeychain, hasPassphrase: Bool, _ command: LockCommand
  ) {
    if FileStatus.isThere(file.location.identityFile) {
      StandardStreams.say(
        "there is nothing to lock: the key of the keychain is \(file.location.identityFile)")
      StandardStreams.say(
        hasPassphrase
          ? "hint: the key file opens it without the passphrase; 'llavero slot remove identity-file' ends that"
          : "hint: a keychain with a passphrase can be locked; see 'llavero help protection'")
      return
    }
    StandardStreams.say(
      "there is nothing to lock: a key on this machine opens the keychain without asking anybody")
    let listing = ["llavero", "slot", "list"] + command.keychain.words
    let hint: Hint = "see which one with \(commandOf: listing)"
    StandardStreams.say("hint: \(hint)")
  }
}

extension UnlockState {
  /// Whether it may be locked more than a minute before its time, because nobody uses it.
  var canEndEarly: Bool { idle + 60 < total }

  var text: String {
    let total = DurationText.text(total)
    if !canEndEarly { return "unlocked for \(total)" }
    return "unlocked until it is idle for \(DurationText.text(idle)), and for \(total) at most"
  }
}
