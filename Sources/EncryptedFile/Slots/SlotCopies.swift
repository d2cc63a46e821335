import Age
import Bytes
import Keychain
import PrivateFiles

/// The copies of the slots beside a vault. Nothing proves that they are those of its newest header.
struct SlotCopies {
  /// Whether their folder exists. If it exists and is empty, the vault's last slot was removed.
  let hasFolder: Bool
  /// The copies that are age files.
  let slots: [VaultStanzas.Slot]

  /// - Parameter known: the slots of headers, which tell each copy's kind. Other kinds are inferred from the file.
  init(
    at location: VaultLocation, known: [VaultStanzas.Slot]
  ) throws(KeychainError) {
    guard let folder = try Folder(opening: location.vaultFolder + "/" + VaultLocation.slotsName) else {
      (hasFolder, slots) = (false, [])
      return
    }
    var found: [VaultStanzas.Slot] = []
    for name in try folder.names() where name.hasSuffix(VaultStanzas.Slot.fileExtension) {
      let id = String(name.dropLast(VaultStanzas.Slot.fileExtension.count))
      guard VaultStanzas.isSlotID(id), let file = try? folder.file(name),
        let contents = try? file.contents(limit: Header.maximumSize)
      else { continue }
      let bytes = contents.withUnsafeBytes { Array($0) }
      let kind = known.first { $0.id == id }?.kind ?? Self.kind(of: bytes, Self.noted(id, location))
      let slot = VaultStanzas.Slot(id: id, kind: kind, file: bytes)
      if slot.isWellFormed { found.append(slot) }
    }
    // In the order of the headers, followed by others.
    let places = known.map(\.id)
    func place(_ slot: VaultStanzas.Slot) -> Int { places.firstIndex(of: slot.id) ?? places.count }
    found.sort { (place($0), $0.id) < (place($1), $1.id) }
    hasFolder = true
    slots = VaultStanzas.fitting(found)
  }

  private static func noted(_ id: String, _ location: VaultLocation) -> LocalSlot? {
    guard let folder = try? Folder(opening: location.localSlotsFolder) else { return nil }
    return try? LocalSlot.read(id, in: folder)
  }

  /// A slot's kind by its file. A recovery code's work factor is below any passphrase's, unless memory was short.
  private static func kind(of file: [UInt8], _ noted: LocalSlot?) -> SlotKind {
    if case .command = noted { return .command }
    guard let workFactor = VaultStanzas.Slot(id: "", kind: .other(""), file: file).workFactor else {
      return .recipient
    }
    return workFactor == ScryptWork.current.recoveryCode ? .recovery : .passphrase
  }
}
