import Age
import Keychain
import PrivateFiles

/// The key and the ways in that apply to a damaged or missing vault to be restored.
///
/// They come from the vault's own header if its MAC is valid, or else from the last write of this machine if it has
/// seen nothing newer. Otherwise they come from the copies of the slots beside the vault or from an earlier state;
/// then a person has to confirm that they may open the vault.
struct WaysThatCount {
  let key: VaultKey
  let stanzas: VaultStanzas
  /// The first line of the damaged file, if readable.
  let head: VaultHead?
  /// The first lines of last writes and earlier states that the key opens, newest first. Their notes about slots say
  /// whom the slots are for.
  let earlierHeads: [VaultHead]
  /// The examined file; `nil` if there was none.
  let status: FileStatus?
  /// The ways to be confirmed; `nil` if none are.
  let returning: ReturningWays?
}

/// A header as found, authentic or not.
private struct FoundHeader {
  let header: Header
  let stanzas: VaultStanzas

  init?(_ file: borrowing OpenFile) {
    guard let found = try? FoundHeader(reading: file) else { return nil }
    self = found
  }

  /// - Throws: ``KeychainError/system(operation:path:errno:)`` if it can't be read now.
  init?(reading file: borrowing OpenFile) throws(KeychainError) {
    do throws(KeychainError) {
      header = try VaultSnapshot.readHeader(file).0
    } catch {
      if case .system = error { throw error }
      return nil
    }
    guard let stanzas = try? VaultStanzas(header.stanzas, path: file.path) else { return nil }
    self.stanzas = stanzas
  }

  /// The header of a file after a repair; see ``RepairedHeader``.
  init?(repairing file: borrowing OpenFile) {
    guard let header = RepairedHeader.read(file),
      let stanzas = try? VaultStanzas(header.stanzas, path: file.path)
    else { return nil }
    self.init(header, stanzas)
  }

  private init(_ header: Header, _ stanzas: VaultStanzas) {
    self.header = header
    self.stanzas = stanzas
  }

  /// The same header with another UUID, because its own may be damaged.
  func naming(_ uuid: String) -> FoundHeader {
    let corrected = header.stanzas.map { stanza in
      guard stanza.type == "llavero/vault", let version = stanza.arguments.first else { return stanza }
      let arguments = [version, uuid] + stanza.arguments.dropFirst(2)
      return (try? Stanza(type: stanza.type, arguments: arguments, body: stanza.body)) ?? stanza
    }
    return FoundHeader(header, (try? VaultStanzas(corrected, path: "")) ?? stanzas)
  }

  /// Whether the file is encrypted for the key, whatever else in the header is damaged.
  func isEncrypted(for key: VaultKey) -> Bool { (try? key.identity.unwrap(header.stanzas)) ?? nil != nil }

  func isEncrypted(forAnyOf identities: [X25519Identity]) -> Bool {
    identities.contains { (try? $0.unwrap(header.stanzas)) ?? nil != nil }
  }

  /// Whether this is the header of the given write, by its MAC.
  func isNamed(by seen: SeenGeneration) -> Bool {
    SeenGeneration(number: seen.number, headerMAC: header.mac) == seen
  }
}

extension EncryptedFileKeychain {
  /// The key and the ways in that apply to an unreadable vault.
  ///
  /// - Parameters:
  ///   - generation: the earlier state to be restored; `nil` for the newest ones.
  ///   - fault: why the vault can't be read.
  /// - Throws: `fault` if there is nothing to go by; what unlocking throws.
  func waysThatCount(
    restoring generation: Generation?, after fault: KeychainError
  ) throws(KeychainError) -> WaysThatCount {
    var own: FoundHeader?
    var status: FileStatus?
    if let file = try openVault() {
      own = FoundHeader(repairing: file) ?? FoundHeader(file)
      status = file.status
    }
    if let own, let key = try ownKey(own) { return try authentic(own, key, status) }
    if let (last, key) = try lastWrite() {
      return try authentic(last, key, status, isReplaced: status != nil, by: own)
    }
    var earlier = try earlierHeaders()
    if earlier.isEmpty, own == nil, let found = try anyLastWrite() { earlier = [("", found)] }
    // Nothing proves this header, and a wrong UUID would make another vault of it.
    if earlier.isEmpty, let uuid = try SeenGeneration.uuid(at: location) { own = own?.naming(uuid) }
    let meant = generation.flatMap { generation in earlier.first { $0.name == generation.name } }
    let sameVault = earlier.first { $0.found.stanzas.uuid == own?.stanzas.uuid }
    var chosen = meant ?? sameVault ?? earlier.first
    // Another vault's file may have been put there, with its earlier states.
    let identities = (try? unlocking.identitiesOfThisMachine()) ?? []
    let ours = earlier.filter { $0.found.isEncrypted(forAnyOf: identities) }
    if meant == nil, !ours.isEmpty,
      !ours.contains(where: { $0.found.stanzas.uuid == chosen?.found.stanzas.uuid })
    {
      chosen = ours.first
    }
    guard var reference = chosen?.found ?? own else { throw fault }
    earlier.removeAll { $0.found.stanzas.uuid != reference.stanzas.uuid }
    let known = ([own].compactMap { $0 } + earlier.map(\.found)).flatMap(\.stanzas.slots)
    let copies = try SlotCopies(at: location, known: known)
    var way = Unlocking.Way.keptKey
    var key = try rescuedKey(own, reference, earlier.map(\.found), copies, &way)
    if meant == nil, let identity = key.identity as? X25519Identity,
      let uuid = try provenUUID(status, identity), uuid != reference.stanzas.uuid
    {
      reference = reference.naming(uuid)
      own = own?.naming(uuid)
      key = VaultKey(identity, uuid: uuid)
    }
    if let own, own.stanzas.uuid == reference.stanzas.uuid, opens(own.header, key) {
      return try authentic(own, key, status)
    }
    return try unproven(own, reference, known, copies, key, by: way, status)
  }

  /// The ways in by an authentic header: the damaged file's, or that of the last seen write.
  ///
  /// - Parameters:
  ///   - isReplaced: whether another file, which nothing here opens, has taken the place of the one with the header:
  ///     it may be a newer state, with other ways in or another key.
  ///   - other: that file's header, if it has one.
  private func authentic(
    _ own: FoundHeader, _ key: VaultKey, _ status: FileStatus?, isReplaced: Bool = false,
    by other: FoundHeader? = nil
  ) throws(KeychainError) -> WaysThatCount {
    let head = try firstLine(status, key, uuid: own.stanzas.uuid)
    let memory = try SeenGeneration.remembered(of: own.stanzas.uuid, key, in: StateFolder(location)).memory
    // Somebody may have put an older file there and damaged it.
    let isNewest =
      switch memory {
      case .nothing: true
      case .seen(let seen): own.isNamed(by: seen) || head.map { $0.generation > seen.number } ?? false
      case .otherKey: false
      }
    let mayBeFormerKey = memory == .otherKey || other.map { !$0.isEncrypted(for: key) } ?? false
    let isDoubtful = (!isNewest || isReplaced) && (!own.stanzas.slots.isEmpty || mayBeFormerKey)
    return WaysThatCount(
      key: key, stanzas: own.stanzas, head: head,
      earlierHeads: try earlierHeads(key, uuid: own.stanzas.uuid), status: status,
      returning: isDoubtful
        ? try returning(
          isReplaced ? .headerUnreadable : .notTheOneSeen, mayBeFormerKey: mayBeFormerKey, key,
          own.stanzas.slots)
        : nil)
  }

  /// The ways in if nothing proves which were the last ones.
  private func unproven(
    _ own: FoundHeader?, _ reference: FoundHeader, _ known: [VaultStanzas.Slot], _ copies: SlotCopies,
    _ key: VaultKey, by way: Unlocking.Way, _ status: FileStatus?
  ) throws(KeychainError) -> WaysThatCount {
    let uuid = reference.stanzas.uuid
    let memory = try SeenGeneration.remembered(of: uuid, key, in: StateFolder(location)).memory
    // A header that the key doesn't open is damaged or belongs to another key.
    let isForeign =
      switch (own, memory) {
      case (nil, _): false
      case (let own?, .seen(let seen)) where own.isNamed(by: seen): false
      case (let own?, _): !own.isEncrypted(for: key)
      }
    let mayBeFormerKey = memory == .otherKey || isForeign
    let hasIdentityFile = try unlocking.hasIdentityFile(of: key)
    let slots: [VaultStanzas.Slot]
    if mayBeFormerKey, way == .identityFile || way == .keptKey {
      // The other slots may lead to the other key.
      slots = reference.stanzas.slots
    } else if !copies.slots.isEmpty || copies.hasFolder && hasIdentityFile {
      slots = copies.slots
    } else if let own, own.stanzas.slots.contains(where: \.isWellFormed) {
      slots = own.stanzas.slots.filter(\.isWellFormed)
    } else {
      slots = reference.stanzas.slots
    }
    let stanzas: VaultStanzas
    do {
      stanzas = try reference.stanzas.replacingSlots(with: slots)
    } catch {
      throw KeychainError(error, path: location.vaultFile)
    }
    let isDoubtful = mayBeFormerKey || !slots.isEmpty || !known.isEmpty
    return WaysThatCount(
      key: key, stanzas: stanzas, head: try firstLine(status, key, uuid: uuid),
      earlierHeads: try earlierHeads(key, uuid: uuid), status: status,
      returning: isDoubtful
        ? try returning(
          status == nil ? .fileMissing : .headerUnreadable, mayBeFormerKey: mayBeFormerKey, key, slots) : nil)
  }

  /// The readable headers of the earlier states, newest first.
  private func earlierHeaders() throws(KeychainError) -> [(name: String, found: FoundHeader)] {
    guard let folder = try Generations(in: location.vaultFolder) else { return [] }
    return try folder.list().compactMap { generation in
      guard let file = try? folder.file(generation), let found = FoundHeader(file) else { return nil }
      return (generation.name, found)
    }
  }

  /// Whether this machine's identity file opens any of the earlier states.
  func opensEarlierStateByIdentityFile() throws(KeychainError) -> Bool {
    let identities = try unlocking.identitiesOfThisMachine()
    return try earlierHeaders().contains { $0.found.isEncrypted(forAnyOf: identities) }
  }

  /// The header of the last write, and its key; `nil` if there is none, or it isn't the write seen last.
  private func lastWrite() throws(KeychainError) -> (FoundHeader, VaultKey)? {
    guard let folder = try Folder(opening: location.vaultFolder) else { return nil }
    for name in try NewestWrite.names(in: folder) {
      guard let file = try folder.file(name, isTightened: true), let found = try FoundHeader(reading: file),
        let key = try ownKey(found)
      else { continue }
      let memory = try SeenGeneration.remembered(of: found.stanzas.uuid, key, in: StateFolder(location))
        .memory
      if case .seen(let seen) = memory, found.isNamed(by: seen) { return (found, key) }
    }
    return nil
  }

  /// The header of any readable last write, for want of other states.
  private func anyLastWrite() throws(KeychainError) -> FoundHeader? {
    guard let folder = try Folder(opening: location.vaultFolder) else { return nil }
    for name in try NewestWrite.names(in: folder) {
      if let file = try folder.file(name, isTightened: true), let found = try FoundHeader(reading: file) {
        return found
      }
    }
    return nil
  }

  /// The vault's key as opened by its own header; `nil` if that can't be opened.
  private func ownKey(_ own: FoundHeader) throws(KeychainError) -> VaultKey? {
    do throws(KeychainError) {
      return try unlock(own.header, own.stanzas).key
    } catch {
      switch error {
      case .promptDismissed, .slot(.pluginFailed): throw error
      default: return nil
      }
    }
  }

  /// Recovers the vault's key from the remaining slots. A key is the vault's if it opens earlier states or
  /// authenticates what was seen here. The slots of earlier states are used only if there are no others, because they
  /// include passphrases that were changed since.
  private func rescuedKey(
    _ own: FoundHeader?, _ reference: FoundHeader, _ earlier: [FoundHeader], _ copies: SlotCopies,
    _ way: inout Unlocking.Way
  ) throws(KeychainError) -> VaultKey {
    let uuid = reference.stanzas.uuid
    var rescue = unlocking
    rescue.recognizes = { [location] (key) throws(KeychainError) in
      for found in earlier where found.isEncrypted(for: key) { return true }
      if let own, own.isEncrypted(for: key) { return true }
      let memory = try SeenGeneration.remembered(of: uuid, key, in: StateFolder(location)).memory
      if case .seen = memory { return true }
      return false
    }
    if let key, try rescue.recognizes?(key) == true { return key }
    var slots = copies.slots
    for slot in own?.stanzas.slots ?? [] where !slots.contains(where: { $0.file == slot.file }) {
      slots.append(slot)
    }
    if slots.isEmpty { slots = reference.stanzas.slots }
    return try rescue.unlock(reference.header, VaultStanzas(uuid: uuid, slots: slots), for: .use, by: &way)
      .key
  }

  private func opens(_ header: Header, _ key: VaultKey) -> Bool {
    do throws(KeychainError) {
      return try unlocking.open(header, with: key) != nil
    } catch {
      return false
    }
  }

  /// The damaged file's first line; `nil` if it can't be read, or another file is there by now.
  private func firstLine(
    _ status: FileStatus?, _ key: VaultKey, uuid: String
  ) throws(KeychainError) -> VaultHead? {
    guard let file = try openVault(), file.status == status else { return nil }
    return try SalvagedLines.firstLine(of: file, key, uuid: uuid)
  }

  /// The vault's UUID as proven by the damaged file's first line; `nil` if that can't be read.
  private func provenUUID(
    _ status: FileStatus?, _ identity: X25519Identity
  ) throws(KeychainError) -> String? {
    guard let file = try openVault(), file.status == status else { return nil }
    return try SalvagedLines.uuid(of: file, identity)
  }

  private func earlierHeads(_ key: VaultKey, uuid: String) throws(KeychainError) -> [VaultHead] {
    guard let folder = try Folder(opening: location.vaultFolder) else { return [] }
    let writes = (try? NewestWrite.openAll(in: folder, uuid: uuid, with: key, unlocking)) ?? []
    var heads = writes.map(\.snapshot.first.head)
    for generation in try generations() {
      guard let earlier = try? open(generation, uuid: uuid, with: key, orByFormerKey: false) else { continue }
      heads.append(earlier.first.head)
    }
    return heads
  }

  private func returning(
    _ doubt: ReturningWays.Doubt, mayBeFormerKey: Bool, _ key: VaultKey, _ slots: [VaultStanzas.Slot]
  ) throws(KeychainError) -> ReturningWays {
    var ways: [SlotSummary] = []
    if try unlocking.hasIdentityFile(of: key) {
      ways.append(SlotSummary(id: SlotSummary.identityFileID, kind: .identityFile))
    }
    ways += slots.map { SlotSummary(id: $0.id, kind: $0.kind) }
    return ReturningWays(doubt: doubt, mayBeFormerKey: mayBeFormerKey, ways: ways)
  }
}
