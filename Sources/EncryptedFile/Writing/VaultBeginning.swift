import Age
import Bytes
import Keychain
import PrivateFiles

final class VaultBeginning {
  let key: VaultKey
  let stanzas: VaultStanzas
  let head: VaultHead
  private var lines: VaultLines

  /// The state after a generation, with its lines.
  ///
  /// - Throws: ``KeychainError/newerFormat(path:version:)``; what reading throws.
  init(after snapshot: VaultSnapshot) throws(KeychainError) {
    if snapshot.first.minimumWriter > VaultHead.version {
      throw .newerFormat(path: snapshot.path, version: snapshot.first.minimumWriter)
    }
    key = snapshot.key
    stanzas = snapshot.stanzas
    var head = snapshot.first.head
    head.generation += 1
    head.previous = snapshot.mac
    head.past.insert(snapshot.generation)
    self.head = head
    lines = try snapshot.takeAllLines()
  }

  /// The state that replaces an unreadable vault: an earlier state's lines, or none, with the key and slots in force.
  ///
  /// - Parameter slots: slots of still another state. Those no longer in force count as removed.
  /// - Throws: as ``init(after:)`` does.
  init(
    _ earlier: VaultSnapshot?, _ ways: WaysThatCount, orSlots slots: [VaultStanzas.Slot] = []
  ) throws(KeychainError) {
    let path = earlier?.path ?? ""
    let former = try earlier.map { (earlier) throws(KeychainError) in try VaultBeginning(after: earlier) }
    key = ways.key
    stanzas = ways.stanzas
    var head = former?.head ?? VaultHead(first: 1)
    // The newest notes about slots take precedence; older ones fill their gaps.
    let heads = (ways.head.map { [$0] } ?? []) + ways.earlierHeads
    var notes = try SlotNotes(heads.first ?? head, path: path)
    for older in heads.dropFirst() {
      guard let older = try? SlotNotes(older, path: path) else { continue }
      notes.complete(from: older, for: ways.stanzas.slots)
    }
    notes.agree(with: ways.stanzas.slots, instead: (former?.stanzas.slots ?? []) + slots)
    notes.write(to: &head)
    self.head = head
    lines = former?.takeLines() ?? VaultLines()
  }

  /// Takes the lines; none are left afterwards.
  func takeLines() -> VaultLines {
    var taken = VaultLines()
    swap(&taken, &lines)
    return taken
  }
}
