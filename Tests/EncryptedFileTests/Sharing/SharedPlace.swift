import Age
import EncryptedFile
import Glibc
import Keychain
import TestSupport

/// A place where a vault is shared, as a git repository is one: it takes a new state only from somebody who knows the
/// one that is there, and keeps all former ones.
final class SharedPlace {
  struct State {
    var whole: [UInt8]
    var changes: [[UInt8]] = []
  }

  private(set) var states: [State] = []
  /// Puts the changes in the order in which somebody reads them. In a git repository their names are random.
  var order: ([[UInt8]]) -> [[UInt8]] = { $0 }
  /// How many states there have been.
  var count: Int { states.count }

  /// Makes a new vault and shares it here, with all of these as its members.
  func share(with members: [SharingMember]) throws {
    try members[0].create()
    for member in members.dropFirst() {
      try member.writeIdentity()
      try members[0].keychain().addRecipient(member.recipient, identity: nil)
    }
    try members[0].sync(self)
    for member in members.dropFirst() {
      try member.join(self)
      try member.sync(self)
    }
  }

  /// Puts a state after another one that has this number.
  func put(_ state: State, after number: Int) -> Bool {
    guard number == count else { return false }
    states.append(state)
    return true
  }

  /// What somebody who has seen the first so many states gets to read.
  func files(seen: Int) -> SharedFiles? {
    guard let last = states.last else { return nil }
    var earlier: [[UInt8]] = []
    for state in states[max(0, seen - 1)..<(count - 1)] {
      for file in state.changes + [state.whole] where !earlier.contains(file) { earlier.append(file) }
    }
    let present = last.changes + [last.whole]
    return SharedFiles(
      whole: last.whole, changes: order(last.changes), earlier: earlier.filter { !present.contains($0) },
      trusted: seen > 0 ? states[seen - 1].whole : nil)
  }
}

/// A member of a shared vault, with a machine.
final class SharingMember {
  let place = Place()
  let identity = X25519Identity()
  let clock: @Sendable () -> Timestamp
  var seen = 0
  /// The slots that were found with a former key.
  var withFormerKey: [SlotSummary] = []

  init(_ clock: @escaping @Sendable () -> Timestamp) {
    self.clock = clock
  }

  var recipient: String { identity.recipient.description }
  var identityPath: String { place.path + "/member.txt" }

  func writeIdentity() throws {
    var text: [UInt8] = []
    identity.withEncodedBytes { text += Array($0) }
    try put(text + [0x0a], into: identityPath)
    chmod(identityPath, 0o600)
  }

  func keychain() -> EncryptedFileKeychain {
    var openers = SlotOpeners()
    openers.otherIdentities = [identityPath]
    return EncryptedFileKeychain(at: place.location, openers: openers, clock: clock)
  }

  func create() throws {
    try writeIdentity()
    try keychain().create(.recipient(recipient, identity: identityPath), isShared: true)
  }

  func join(_ shared: SharedPlace) throws {
    try writeIdentity()
    guard let files = shared.files(seen: 0) else { return }
    try keychain().take(files.whole, from: "place")
  }

  /// Reconciles once. Returns whether the place has everything then.
  @discardableResult
  func sync(_ shared: SharedPlace, meanwhile: () throws -> Void = {}) throws -> Reconciliation {
    while true {
      let number = shared.count
      let files = shared.files(seen: seen)
      let result = try keychain().reconcile(with: files, at: "place")
      withFormerKey += result.slotsWithFormerKey
      if !result.slotsToDrop.isEmpty {
        seen = number
        try rotate(dropping: result.slotsToDrop)
        continue
      }
      try meanwhile()
      switch result.publication {
      case .nothing:
        seen = number
        return result
      case .change(let file):
        guard let last = shared.states.last else { continue }
        let state = SharedPlace.State(whole: last.whole, changes: last.changes + [file])
        if !shared.put(state, after: number) { continue }
      case .whole(let file):
        if !shared.put(SharedPlace.State(whole: file), after: number) { continue }
      }
      seen = number + 1
      if result.isKeyUnsent { continue }
      return result
    }
  }

  func rotate(dropping slots: Set<String>) throws {
    try keychain().rotate(dropping: slots, passphrase: { _, _ in nil }, announce: { _ in })
  }

  func slot(of member: SharingMember) throws -> String? {
    try keychain().slots()?.first { $0.recipient == member.recipient }?.id
  }

  /// The items by account, each with its secret and its comment.
  func contents() throws -> [String: String] {
    let contents = try stored().map { stored in
      (stored.account, "\(stored.credential.secret) \(stored.item.comment?.description ?? "")")
    }
    return Dictionary(contents) { $1 }
  }
}
