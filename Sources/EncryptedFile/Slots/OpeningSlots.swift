import Age
import Bytes
import Glibc
public import Keychain
import PrivateFiles

/// Ways to open slots without asking anybody, besides the notes on this machine.
public struct SlotOpeners: Sendable {
  /// A file of age identities or an ssh key given by the caller. It is an error if it can't be read for a slot.
  public var identity: String?
  /// Files to try in the same way if they exist.
  public var otherIdentities: [String] = []
  /// Whether the programs noted on this machine, and age plugins, may be run.
  public var mayRunPrograms = true
  /// Runs a program and returns its output without one final line feed; `nil` if it fails. Without this closure
  /// nothing is run, and command slots open nothing.
  public var run: (@Sendable (_ command: [String]) -> Secret?)?

  /// Only identities noted on this machine.
  public init() {}

  func passphrase(of command: [String]) -> Secret? {
    guard mayRunPrograms, let run else { return nil }
    return run(command)
  }
}

extension Unlocking {
  // MARK: Without asking

  /// Opens a header through a slot that asks nobody: by an identity of this machine, or else a program's output.
  ///
  /// - Parameter fault: the first thing that went wrong, which is reported if nothing else opens the vault.
  /// - Throws: for a faulty identity file given by the caller.
  func openWithoutAsking(
    _ header: Header, _ stanzas: VaultStanzas, _ fault: inout KeychainError?
  ) throws(KeychainError) -> UnlockedHeader? {
    let noted = try notedSlots(stanzas, &fault)
    let forKeys = stanzas.slots.filter(\.kind.isOpenedByKey)
    // A vault may have hundreds of slots, but only one for this machine.
    let hasNote = { (slot: VaultStanzas.Slot) in noted[slot.id] != nil }
    for slot in forKeys.filter(hasNote) + forKeys.filter({ !hasNote($0) }) {
      if let identity = try identity(of: slot, noted[slot.id], &fault),
        let unlocked = try open(header, stanzas, with: identity, of: slot, &fault)
      {
        return unlocked
      }
    }
    if !openers.mayRunPrograms { return nil }
    for slot in stanzas.slots where slot.kind.isOpenedByProgram {
      guard case .command(let command) = noted[slot.id] else { continue }
      guard let passphrase = openers.passphrase(of: command) else {
        fault = fault ?? .slot(.commandFailed(program: command[0]))
        continue
      }
      do throws(KeychainError) {
        if let identity = try open(slot, with: passphrase),
          let unlocked = try open(header, stanzas, with: identity, of: slot, &fault)
        {
          return unlocked
        }
        fault = fault ?? .slot(.commandMismatch(id: slot.id))
      } catch {
        fault = fault ?? error
      }
    }
    return nil
  }

  private func notedSlots(
    _ stanzas: VaultStanzas, _ fault: inout KeychainError?
  ) throws(KeychainError) -> [String: LocalSlot] {
    guard let folder = try Folder(opening: location.localSlotsFolder) else { return [:] }
    var noted: [String: LocalSlot] = [:]
    let names = Set(try folder.names())
    for slot in stanzas.slots where names.contains(slot.id) {
      do throws(KeychainError) {
        noted[slot.id] = try LocalSlot.read(slot.id, in: folder)
      } catch {
        fault = fault ?? error
      }
    }
    return noted
  }

  /// The vault's identity from a recipient slot; `nil` if no identity of this machine opens it.
  private func identity(
    of slot: VaultStanzas.Slot, _ noted: LocalSlot?, _ fault: inout KeychainError?
  ) throws(KeychainError) -> X25519Identity? {
    if let named = openers.identity {
      guard let identities = try usableIdentities(inFile: named) else { throw .missing(path: named) }
      do throws(KeychainError) {
        if let identity = try open(slot, with: identities) { return identity }
      } catch {
        fault = fault ?? error
      }
    }
    var paths = openers.otherIdentities
    if case .identity(let path) = noted { paths.insert(path, at: 0) }
    for path in paths {
      do throws(KeychainError) {
        guard let identities = try usableIdentities(inFile: path) else { continue }
        if let identity = try open(slot, with: identities) { return identity }
      } catch {
        fault = fault ?? error
      }
    }
    return nil
  }

  /// The file whose key opens a slot without a question, and without a program; `nil` if there is none.
  func fileThatOpensUnasked(_ stanzas: VaultStanzas) -> String? {
    var withoutPrograms = self
    withoutPrograms.openers.mayRunPrograms = false
    var fault: KeychainError?
    let noted = (try? notedSlots(stanzas, &fault)) ?? [:]
    for slot in stanzas.slots where slot.kind.isOpenedByKey {
      var paths = [openers.identity].compactMap(\.self) + openers.otherIdentities
      if case .identity(let path) = noted[slot.id] { paths.insert(path, at: 0) }
      for path in paths {
        guard let identities = try? withoutPrograms.usableIdentities(inFile: path) else { continue }
        if (try? withoutPrograms.open(slot, with: identities)) != nil { return path }
      }
    }
    return nil
  }

  /// The identities of a file; without those that need a program, if programs may not be run.
  private func usableIdentities(inFile path: String) throws(KeychainError) -> [any Identity]? {
    let identities = try Self.identities(inFile: path)
    return openers.mayRunPrograms ? identities : identities?.filter { !($0 is PluginIdentity) }
  }

  /// The identities of a file anywhere; `nil` if there is no such file.
  ///
  /// - Throws: for a faulty file, such as one that others can read.
  static func identities(inFile path: String) throws(KeychainError) -> [any Identity]? {
    guard let file = try OpenFile(path: path) else { return nil }
    let text = try file.contents(limit: VaultBounds.identityFile)
    do throws(AgeError) {
      return try text.withUnsafeBytes { (bytes) throws(AgeError) in try SlotKeys.identities(bytes) }
    } catch {
      throw .slot(.noIdentity(path: path, hasPassphrase: error == .invalidKey(.passphraseProtected)))
    }
  }

  // MARK: By asking

  /// Opens a header with what a person types. A recovery code is tried on the recovery slots only, any other text on
  /// the passphrase slots only.
  ///
  /// - Parameter earlier: an earlier failure, which is reported if nobody can be asked.
  func openByAsking(
    _ header: Header, _ stanzas: VaultStanzas, _ earlier: KeychainError?
  ) throws(KeychainError) -> UnlockedHeader {
    let path = location.vaultFile
    let passphraseSlots = stanzas.slots.filter { $0.kind == .passphrase }
    let recoverySlots = stanzas.slots.filter { $0.kind == .recovery }
    var attempt = 1
    var mistyped: KeychainError?
    while let typed = try nextTyped(attempt, after: mistyped) {
      mistyped = nil
      let reading = recoverySlots.isEmpty ? .otherText : typed.withUnsafeBytes { RecoveryCode.read($0) }
      let outcome: Trial
      switch consume reading {
      case .code(let code):
        outcome = try self.try(code.text, on: recoverySlots, header, stanzas)
      case .mistyped(let groups, let isGrouped) where isGrouped || passphraseSlots.isEmpty:
        mistyped = .mistypedRecoveryCode(groups: groups)
        onMistypedCode(groups)
        outcome = .wrong
      case .mistyped:
        outcome = try self.try(typed, on: passphraseSlots, header, stanzas)
      case .otherText:
        outcome = try self.try(typed, on: passphraseSlots, header, stanzas)
      }
      switch consume outcome {
      case .opened(let unlocked): return unlocked
      case .wrong: break
      case .faulty(let fault): throw fault
      }
      attempt += 1
    }
    if let mistyped { throw mistyped }
    if attempt > 1 { throw .wrongPassphrase(path: path) }
    throw earlier ?? .locked(path: path)
  }

  /// What is typed next. A source that has only one answer leaves the typing error of a code as the fault.
  private func nextTyped(
    _ attempt: Int, after mistyped: KeychainError?
  ) throws(KeychainError) -> Secret? {
    do throws(KeychainError) {
      return try passphrase(attempt)
    } catch .wrongPassphraseGiven(let giver, let path) {
      throw mistyped ?? .wrongPassphraseGiven(by: giver, path: path)
    }
  }

  private enum Trial: ~Copyable {
    case opened(UnlockedHeader)
    case wrong
    case faulty(KeychainError)
  }

  private func `try`(
    _ passphrase: borrowing Secret, on slots: [VaultStanzas.Slot], _ header: Header, _ stanzas: VaultStanzas
  ) throws(KeychainError) -> Trial {
    var fault: KeychainError?
    var isWrong = slots.isEmpty
    var isRight = false
    for slot in slots {
      do throws(KeychainError) {
        guard let identity = try open(slot, with: passphrase) else {
          isWrong = true
          continue
        }
        isRight = true
        if let unlocked = try open(header, stanzas, with: identity, of: slot, &fault) {
          return .opened(unlocked)
        }
      } catch {
        // Another slot may still be good.
        fault = error
      }
    }
    if let fault, isRight || !isWrong { return .faulty(fault) }
    return .wrong
  }

  // MARK: One slot

  /// The identity from a slot for a passphrase; `nil` if the passphrase is wrong.
  func open(
    _ slot: VaultStanzas.Slot, with passphrase: borrowing Secret
  ) throws(KeychainError) -> X25519Identity? {
    if passphrase.isEmpty { return nil }
    if let workFactor = slot.workFactor, workFactor <= maximumWorkFactor {
      try ScryptMemory.check(workFactor: workFactor)
    }
    let scrypt: ScryptIdentity
    do {
      scrypt = try passphrase.withUnsafeBytes { (bytes) throws(AgeError) in
        try ScryptIdentity(passphrase: bytes, maximumLogN: maximumWorkFactor)
      }
    } catch {
      throw KeychainError(error, path: location.vaultFile)
    }
    return try open(slot, with: [scrypt])
  }

  /// The identity from a slot; `nil` if none of these identities opens it.
  func open(
    _ slot: VaultStanzas.Slot, with identities: [any Identity]
  ) throws(KeychainError) -> X25519Identity? {
    var text = Secret()
    do throws(AgeError) {
      try slot.file.lendingBytes { (file) throws(AgeError) in
        try AgeFile.decrypt(file, with: identities) { text.append($0) }
      }
      return try text.withUnsafeBytes { (bytes) throws(AgeError) in try IdentityFile.parse(bytes).first }
    } catch .noMatch {
      return nil
    } catch {
      throw KeychainError(error, path: location.vaultFile)
    }
  }

  private func open(
    _ header: Header, _ stanzas: VaultStanzas, with identity: X25519Identity, of slot: VaultStanzas.Slot,
    _ fault: inout KeychainError?
  ) throws(KeychainError) -> UnlockedHeader? {
    if let unlocked = try open(header, stanzas, with: identity) { return unlocked }
    fault =
      fault
      ?? .damaged(path: location.vaultFile, detail: "its \(slot.kind.name) opens a key that is not its own")
    return nil
  }
}

extension VaultStanzas.Slot {
  /// The work factor of its passphrase, as scrypt's log2 N (C2SP age.md, "scrypt recipient stanza").
  var workFactor: Int? {
    let header = try? file.lendingBytes { (bytes) throws(AgeError) in try Header(parsing: bytes) }
    return header?.stanzas.first.flatMap { $0.type == "scrypt" ? $0.arguments.last : nil }.flatMap { Int($0) }
  }

  /// Whether its body is an age file at all.
  var isWellFormed: Bool {
    (try? file.lendingBytes { (bytes) throws(AgeError) in try Header(parsing: bytes) }) != nil
  }
}
