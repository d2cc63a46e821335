import ArgumentParser
import Bytes
import EncryptedFile
import Keychain
import ToolCommands

struct VaultCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vault",
    abstract: "Look after the encrypted file: earlier states, damage, copies",
    discussion: """
      llavero keeps the last five states of the file, and the last state of each of seven days.

        llavero vault log                 list them
        llavero vault restore 41          bring back the items as of write 41
        llavero vault restore             mend a damaged file with all it still has
        llavero vault verify              read everything and check it

      To bring back a deleted item, 'llavero undelete' is easier. For a keychain in HashiCorp Vault see \
      'llavero help sharing'.
      """,
    subcommands: [
      VaultLogCommand.self, VaultRestoreCommand.self, VaultVerifyCommand.self, VaultAcceptCommand.self,
      VaultMergeCommand.self, VaultCompactCommand.self,
    ])
}

struct VaultLogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "List the earlier states that are kept, newest first")

  @OptionGroup var dates: DateOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func run() throws(KeychainError) {
    let vault = try keychain.selection.encryptedFile()
    let states = try vault.askingOnce { () throws(KeychainError) in try Self.states(of: vault) }
    // There is nothing left to list.
    if states.count == 1, let problem = states[0].problem, problem.isAbsence { throw problem }
    if states.isEmpty, !output.json { return StandardStreams.say("there is no encrypted file yet") }
    try output.write(states.map(\.report), or: Self.table(states, inUTC: dates.utc))
  }

  fileprivate struct State {
    let number: Int64?
    let written: Timestamp?
    let size: Int?
    let path: String
    let isCurrent: Bool
    let verified: VerifiedVault?
    let problem: KeychainError?

    var report: JSONObject {
      [
        "generation": number, "written": written, "items": verified?.count, "size": size, "path": path,
        "current": isCurrent, "good": verified != nil, "problem": problem?.message,
      ]
    }
  }

  fileprivate static func states(of vault: EncryptedFileKeychain) throws(KeychainError) -> [State] {
    var states: [State] = []
    do throws(KeychainError) {
      if let current = try vault.verify() {
        states.append(
          State(
            number: current.generation, written: current.written, size: nil, path: vault.location.vaultFile,
            isCurrent: true, verified: current, problem: nil))
      }
    } catch {
      states.append(
        State(
          number: nil, written: nil, size: nil, path: vault.location.vaultFile, isCurrent: true,
          verified: nil,
          problem: error))
    }
    let lastWrites = states.first?.problem == nil ? [] : try vault.lastWritesOfUnreadable()
    for generation in try lastWrites + vault.generations() {
      var verified: VerifiedVault?
      var problem: KeychainError?
      do throws(KeychainError) {
        verified = try vault.verify(generation)
      } catch {
        problem = error
      }
      states.append(
        State(
          number: generation.number, written: generation.written, size: generation.size,
          path: generation.path,
          isCurrent: false, verified: verified, problem: problem))
    }
    return states
  }

  fileprivate static func table(_ states: [State], inUTC: Bool) -> TextForTerminal {
    let rows = states.map { (state) -> [String] in
      [
        state.number.map { "\($0)" } ?? "-",
        state.written.map { dateText($0, seconds: true, inUTC: inUTC) } ?? "-",
        state.verified.map { "\($0.count)" } ?? "-",
        remark(on: state),
      ]
    }
    return columns([["WRITE", "WRITTEN", "ITEMS", ""]] + withTilde(rows))
  }

  private static func remark(on state: State) -> String {
    let name = state.isCurrent ? "in use" : ""
    guard let problem = state.problem else { return name }
    if case .locked = problem { return name.isEmpty ? "locked" : name + ", locked" }
    return (name.isEmpty ? "" : name + ", ") + "can't be used: " + problem.message
  }
}

struct VaultRestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Put back a damaged file, or go back to an earlier state",
    discussion: """
      Without a write, this replaces a damaged or missing file with its newest good state, and with all items that the \
      damaged file still gives. The damaged file is kept among the earlier states. If the file is in order, it lists \
      the states that you can go back to.

      With a write, as 'llavero vault log' numbers them, this goes back to that state. It is a change like any other: \
      the state that it replaces stays in the log, so you can undo it, and other copies of the keychain will follow. A \
      damaged or missing file is put back so, too.

      The slots that opened the file last open it again; if llavero can't tell for sure which they were, it asks you \
      first.
      """)

  @Argument("The write, as 'llavero vault log' numbers them, or its file", value: "write")
  var write: String?

  @OptionGroup var confirmation: ReturningWaysOptions
  @OptionGroup var keychain: KeychainOptions

  func run() throws(KeychainError) {
    let vault = try keychain.selection.encryptedFile()
    try vault.askingOnce { () throws(KeychainError) in
      if let write { try restore(write, of: vault) } else { try restore(vault) }
    }
  }

  private func restore(_ write: String, of vault: EncryptedFileKeychain) throws(KeychainError) {
    func isMeant(_ number: Int64, _ path: String) -> Bool {
      number == Int64(write) || path == write || path.hasSuffix("/\(write)")
    }
    var found = try vault.generations().filter { isMeant($0.number, $0.path) }
    // These have to be opened, which may need a passphrase.
    if found.isEmpty {
      found = try vault.lastWritesOfUnreadable().filter { isMeant($0.number, $0.path) }
    }
    guard let generation = found.first else {
      if let present = (try? vault.verify()) ?? nil, isMeant(present.generation, vault.location.vaultFile) {
        StandardStreams.say("write \(present.generation) is already in use; nothing was changed")
        return
      }
      throw .failure(
        "there is no state of write \(write)", hint: "see which there are with 'llavero vault log'",
        status: .nothingMatched)
    }
    if found.count > 1 {
      throw .failure(
        "two copies of the keychain had a write \(write): \(found.map(\.path).joined(separator: ", "))",
        hint: "say which you mean with 'llavero vault restore FILE'", status: .usage)
    }
    let outcome = try confirmation.confirming(vault, keychain.selection) {
      (vault, confirm) throws(KeychainError) in
      try vault.restore(generation, confirm: confirm)
    }
    StandardStreams.say(
      "the keychain is again as it was after write \(generation.number): \(countText(outcome.count, "item")), "
        + "\(outcome.restored) put back, \(outcome.retired) removed")
  }

  /// Puts back a damaged file, with everything still readable. For a sound one, offers the states.
  private func restore(_ vault: EncryptedFileKeychain) throws(KeychainError) {
    guard let salvage = try salvage(vault) else {
      StandardStreams.say("the encrypted file is in order; nothing was changed")
      return try StandardStreams.write(VaultLogCommand.table(VaultLogCommand.states(of: vault), inUTC: false))
    }
    let recovered = salvage.hadFile ? "\(salvage.recovered) from the damaged file" : ""
    let others = salvage.hadFile ? ", the others" : "all"
    let base = salvage.base.map { "\(others) from write \($0.number)" } ?? ""
    StandardStreams.say("the keychain has \(countText(salvage.count, "item")): \(recovered)\(base)")
  }

  /// Salvages the file; `nil` if nothing is wrong with it.
  ///
  /// - Throws: ``KeychainError``, whose hint isn't to do this very thing.
  private func salvage(_ vault: EncryptedFileKeychain) throws(KeychainError) -> Salvage? {
    do throws(KeychainError) {
      return try confirmation.confirming(vault, keychain.selection) {
        (vault, confirm) throws(KeychainError) -> Salvage? in
        do throws(KeychainError) {
          return try vault.salvage(confirm: confirm)
        } catch .duplicateItem {
          return nil
        }
      }
    } catch {
      let failure = error.failure
      guard let hint = failure.hint, hint.description.hasPart("llavero vault restore") else { throw error }
      let named = keychain.selection.name.map { ["--keychain", $0] } ?? []
      throw .failure(
        failure.message,
        hint: """
          nothing was changed; see the states that are kept with \(commandOf: ["llavero", "vault", "log"] + named), or \
          put back a copy of the file from a backup
          """, status: error.status)
    }
  }
}

struct VaultVerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Read everything in the encrypted file and check it",
    discussion: """
      It also names files that were never merged into this one, and may have items that it lacks: copies beside it, \
      and changes that another file has replaced. The exit status is 2 if you can't rely on the file.
      """)

  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func run() throws(KeychainError) {
    let vault = try keychain.selection.encryptedFile()
    let found = try vault.verify()
    guard let found else {
      throw KeychainError.noEncryptedFile
    }
    let former = try vault.generationsOfFormerKeys().count
    let unmerged = try vault.unmergedFiles()
    let report: JSONObject = [
      "path": vault.location.vaultFile, "generation": found.generation, "written": found.written,
      "items": found.count, "retired": found.retiredCount, "former_key_states": former,
      "unmerged": unmerged.map { file -> JSONObject in
        ["path": file.path, "kind": file.kind.rawValue, "problem": file.problem?.message]
      },
    ]
    try output.write(
      report,
      or: "\(terminalText(vault.location.vaultFile)) is in order: \(countText(found.count, "item")), "
        + "\(found.retiredCount) deleted or replaced, write \(found.generation) of \(found.written)\n")
    if output.json { return }
    if former > 0 {
      StandardStreams.say(
        "a former key opens \(countText(former, "earlier state")); 'llavero vault compact' removes all of them"
      )
    }
    for file in unmerged { StandardStreams.say("\(file.remark)") }
  }
}

struct VaultAcceptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept", abstract: "Accept an older or another file as yours",
    discussion: """
      llavero refuses a file that is out of date, or another keychain's, because somebody may have put it there. If \
      you put it there yourself, from a backup for example, accept it with this command.
      """)

  @OptionGroup var keychain: KeychainOptions

  func run() throws(KeychainError) {
    let vault = try keychain.selection.encryptedFile()
    try changing { () throws(KeychainError) in try vault.acceptRollback() }
  }
}

struct VaultMergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge", abstract: "Merge another copy of the encrypted file",
    discussion: """
      With one file, merges its items into the keychain. Each item's name, attributes and secret are those that were \
      changed last; 'llavero undelete' brings back a secret that lost. Copies that a sync program puts beside the \
      keychain are merged without this command.

      With three files, this is a git merge driver for a keychain in a repository:

        git config merge.llavero.driver 'llavero vault merge %O %A %B'
        echo 'vault.age merge=llavero' >> .gitattributes
      """)

  @Argument(
    help: ArgumentHelp("The other copy; or git's three: the base, ours and theirs", valueName: "file"))
  var files: [String]

  @OptionGroup var keychain: KeychainOptions

  func validate() throws {
    if files.count != 1, files.count != 3 { throw ValidationError("Name one file, or git's three.") }
  }

  func run() throws(KeychainError) {
    let vault = try keychain.selection.encryptedFile()
    do {
      if files.count == 3 {
        tellUndecided(try vault.mergeFiles(base: files[0], ours: files[1], theirs: files[2]))
      } else {
        let outcome = try vault.merge(copyAt: files[0])
        StandardStreams.say(
          "the keychain has \(countText(outcome.count, "item")): \(outcome.added) merged, "
            + "\(outcome.deleted) removed")
        tellUndecided(outcome)
      }
    } catch .itemNotFound {
      throw .failure("there is no encrypted file yet to merge it into", status: .nothingMatched)
    } catch .wrongIdentity(let path) {
      throw .failure("\(shown(path)) is not a copy of this keychain; nothing was changed", status: .keychain)
    } catch .otherKey(let path) {
      throw .otherKey(path: shown(path))
    } catch .damaged(let path, let detail) where files.contains(path) && path != vault.location.vaultFile {
      throw .failure(
        "cannot merge \(shown(path)): \(detail)",
        hint: files.count == 1
          ? "nothing was changed; name a good copy of \(prose: vault.location.vaultFile)"
          : "nothing was changed; choose one with 'git checkout --ours' or 'git checkout --theirs'",
        status: .keychain)
    }
  }
}

extension VaultMergeCommand {
  /// A person's name for a file: git gives its merge driver temporary ones, `.merge_file_XXXXXX`.
  private func shown(_ path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard files.count == 3, name.hasPrefix(".merge_file_") else { return path }
    return path == files[2] ? "'theirs' of the file" : "'ours' of the file"
  }
}

/// Reports the number of items that both copies had changed, where only the dates could decide.
private func tellUndecided(_ outcome: MergeOutcome) {
  if outcome.undecided == 0 { return }
  let items = countText(outcome.undecided, "item")
  StandardStreams.say(
    "\(items) had been changed in both copies: the later change counts, 'llavero undelete' brings the other back"
  )
}

struct VaultCompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact", abstract: "Forget deleted and replaced secrets for good",
    discussion: """
      Removes from the encrypted file everything that 'llavero undelete' could bring back, and all earlier states. \
      Other copies of the keychain, in a backup or on another machine, still have it. The names of deleted items stay \
      for 180 days, so that such a copy doesn't bring them back.
      """)

  @Flag(help: "Don't ask")
  var yes = false

  @OptionGroup var keychain: KeychainOptions

  func run() throws(KeychainError) {
    let vault = try keychain.selection.encryptedFile()
    if let name = vault.sharing?.name {
      throw .failure(
        "the keychain \(name) is shared: forgotten secrets would come back from its repository",
        hint: "to make a secret useless, change it where it is used", status: .usage)
    }
    if !yes {
      let question: TextForTerminal = "Forget deleted and replaced secrets, and all earlier states?"
      guard let isConfirmed = keychain.selection.confirms(question) else {
        throw .failure(
          "removed secrets can't be brought back, and nobody can be asked", hint: "add --yes", status: .usage)
      }
      if !isConfirmed { throw .failure("nothing was changed", status: .nothingMatched) }
    }
    let gone = try changing { () throws(KeychainError) in try vault.compact() }
    StandardStreams.say(
      "forgot \(countText(gone.records, "former item")) and \(countText(gone.generations, "earlier state"))")
  }
}

/// Changes the encrypted file. ``KeychainError/itemNotFound`` means that it doesn't exist.
private func changing<Result>(
  _ body: () throws(KeychainError) -> Result
) throws(KeychainError) -> Result {
  do throws(KeychainError) {
    return try body()
  } catch .itemNotFound {
    throw .noEncryptedFile
  }
}

extension KeychainError {
  /// Whether a file that used to exist is gone.
  fileprivate var isAbsence: Bool {
    switch self {
    case .missing, .elsewhere: true
    default: false
    }
  }
}

extension KeychainError {
  static let noEncryptedFile = KeychainError("there is no encrypted file yet", status: .nothingMatched)
}
