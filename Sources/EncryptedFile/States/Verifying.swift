import Age
public import Keychain
import PrivateFiles

/// The result of reading and checking everything in a vault or an earlier generation.
public struct VerifiedVault: Hashable, Sendable {
  /// The number of the write, from 1.
  public let generation: Int64
  /// When it was written.
  public let written: Timestamp
  /// How many items are in use.
  public let count: Int
  /// How many records are out of use.
  public let retiredCount: Int
}

extension EncryptedFileKeychain {
  /// Reads and checks everything in the vault; returns `nil` if there is no vault yet.
  ///
  /// - Throws: `KeychainError` for a fault.
  public func verify() throws(KeychainError) -> VerifiedVault? {
    try newest()?.verify()
  }

  /// Reads and checks everything in an earlier generation.
  ///
  /// - Throws: `KeychainError` for a fault.
  public func verify(_ generation: Generation) throws(KeychainError) -> VerifiedVault {
    try open(generation).verify()
  }

  /// The generations kept besides the vault itself, newest first.
  ///
  /// - Throws: `KeychainError.unsafeFile` and `.system` if their folder can't be read.
  public func generations() throws(KeychainError) -> [Generation] {
    try Generations(in: location.vaultFolder)?.list() ?? []
  }

  /// The last writes that can be opened beside an unreadable or missing vault, newest first. A readable vault has
  /// none: they are in it, or about to be merged.
  ///
  /// - Throws: `KeychainError.unsafeFile` and `.system` if they can't be read now.
  public func lastWritesOfUnreadable() throws(KeychainError) -> [Generation] {
    guard let folder = try Folder(opening: location.vaultFolder) else { return [] }
    let names = try NewestWrite.names(in: folder)
    if names.isEmpty { return [] }
    do throws(KeychainError) {
      _ = try verify()
      return []
    } catch {
      guard try isWorthRescuing(after: error) else { return [] }
    }
    let kept = try Set(generations().map(\.name))
    var writes: [Generation] = []
    for name in names {
      guard let file = try folder.file(name), let write = try? unlock(file) else { continue }
      let generation = Generation(write)
      // A killed writer may have kept it already.
      if !kept.contains(generation.name) { writes.append(generation) }
    }
    return writes.sorted { $0.number > $1.number }
  }

  /// Whether any earlier state of the vault is kept, even one that can't be checked without asking somebody.
  public var hasEarlierStates: Bool {
    if let generations = try? generations(), !generations.isEmpty { return true }
    guard let folder = try? Folder(opening: location.vaultFolder) else { return false }
    return (try? NewestWrite.names(in: folder))?.isEmpty == false
  }

  /// The paths of the copies that sync programs put beside the vault, unopened.
  public var conflictCopyPaths: [String] {
    guard let folder = try? Folder(opening: location.vaultFolder) else { return [] }
    return ((try? ConflictCopies.names(in: folder)) ?? []).map { folder.path(of: $0) }
  }

  /// The newest generation without faults, as far as known without asking anybody.
  public func newestGoodGeneration() -> Generation? {
    (try? newestGood()) ?? nil
  }

  /// The same for callers that need to know why it is unknown.
  ///
  /// - Throws: ``KeychainError/SlotFault/pluginFailed(name:_:)``, which says nothing about a generation.
  func newestGood() throws(KeychainError) -> Generation? {
    if let write = newestGoodWrite() { return Generation(write) }
    for generation in (try? generations()) ?? [] {
      do throws(KeychainError) {
        _ = try verify(generation)
        return generation
      } catch .slot(.pluginFailed(let name, let fault)) {
        throw .slot(.pluginFailed(name: name, fault))
      } catch {
        continue
      }
    }
    return nil
  }

  /// The newest generation without faults, last writes included, as the state to start from again: one that the
  /// present key opens or, failing that, a former key.
  ///
  /// - Throws: as ``newestGood()`` does; ``KeychainError/system(operation:path:errno:)`` if one can't be read now.
  func newestGood(for ways: WaysThatCount) throws(KeychainError) -> (Generation, VaultBeginning)? {
    guard let newest = try newestGood(for: ways, from: 0, orByFormerKey: true) else { return nil }
    return (newest.0, try VaultBeginning(newest.1, ways))
  }

  /// The same if it is another one than `chosen` and not older.
  ///
  /// - Throws: as ``newestGood(for:)`` does.
  func newestGood(
    for ways: WaysThatCount, after chosen: VaultSnapshot
  ) throws(KeychainError) -> VaultSnapshot? {
    // Nobody is asked for a former key, unless the chosen state already needs it.
    let newest = try newestGood(
      for: ways, from: chosen.generation.number,
      orByFormerKey: chosen.key.recipient != ways.key.recipient)
    return newest.flatMap { $0.1.mac == chosen.mac ? nil : $0.1 }
  }

  private func newestGood(
    for ways: WaysThatCount, from number: Int64, orByFormerKey: Bool
  ) throws(KeychainError) -> (Generation, VaultSnapshot)? {
    let generations = try generations().filter { $0.number >= number }
    if let folder = try Folder(opening: location.vaultFolder) {
      let writes = try NewestWrite.openAll(in: folder, uuid: ways.stanzas.uuid, with: ways.key, unlocking)
      if let write = writes.map(\.snapshot).first(where: { (try? $0.verify()) != nil }),
        write.generation.number >= number,
        generations.allSatisfy({ $0.number <= write.generation.number })
      {
        return (Generation(write), write)
      }
    }
    for opensByFormer in orByFormerKey ? [false, true] : [false] {
      for generation in generations {
        do throws(KeychainError) {
          let earlier = try open(
            generation, uuid: ways.stanzas.uuid, with: ways.key, orByFormerKey: opensByFormer)
          _ = try earlier.verify()
          return (generation, earlier)
        } catch {
          switch error {
          // It can't be read just now, and may be the newest good one.
          case .slot(.pluginFailed), .system: throw error
          default: continue
          }
        }
      }
    }
    return nil
  }

  private func newestGoodWrite() -> VaultSnapshot? {
    guard let folder = try? Folder(opening: location.vaultFolder) else { return nil }
    var newest: VaultSnapshot?
    for name in (try? NewestWrite.names(in: folder)) ?? [] {
      guard let file = try? folder.file(name), let write = try? unlock(file), (try? write.verify()) != nil
      else { continue }
      if newest.map({ $0.generation.number < write.generation.number }) ?? true { newest = write }
    }
    return newest
  }

  func open(_ generation: Generation) throws(KeychainError) -> VaultSnapshot {
    try unlock(try file(of: generation))
  }

  private func file(of generation: Generation) throws(KeychainError) -> OpenFile {
    if let folder = try Folder(opening: location.vaultFolder) {
      for name in try NewestWrite.names(in: folder) where generation.path == folder.path(of: name) {
        if let file = try folder.file(name) { return file }
      }
    }
    guard let folder = try Generations(in: location.vaultFolder) else {
      throw .missing(path: generation.path)
    }
    return try folder.file(generation)
  }

  /// Opens an earlier generation of a vault with that vault's key, or with its own if the key was changed since.
  ///
  /// - Throws: ``KeychainError/damaged(path:detail:)`` also if it belongs to another vault; what asking throws.
  func open(
    _ generation: Generation, uuid: String, with key: VaultKey, orByFormerKey: Bool = true
  ) throws(KeychainError) -> VaultSnapshot {
    let file = try file(of: generation)
    do throws(KeychainError) {
      return try VaultSnapshot(file) { (header, stanzas) throws(KeychainError) in
        guard stanzas.uuid == uuid else {
          throw .damaged(path: generation.path, detail: "it is of another keychain")
        }
        if let unlocked = try unlocking.open(header, with: key) { return unlocked }
        guard orByFormerKey else { throw .otherKey(path: generation.path) }
        var former = unlocking
        // The cached key is the vault's present one.
        former.cache = nil
        var way = Unlocking.Way.identityFile
        return try former.unlock(header, stanzas, for: .use, by: &way)
      }
    } catch {
      switch error {
      case .wrongIdentity(location.identityFile), .missing(location.identityFile), .noSlotOpens:
        throw .otherKey(path: generation.path)
      default: throw error.naming(generation.path, inPlaceOf: location.vaultFile)
      }
    }
  }
}

extension VaultSnapshot {
  func verify() throws(KeychainError) -> VerifiedVault {
    try checkIndex()
    let lines = try takeAllLines()
    let inUse = lines.inUse
    for index in inUse { _ = try lines.record(at: index, path: path) }
    for index in inUse.upperBound..<lines.count {
      if try !lines.retiredRecord(at: index, path: path).hasSecret { continue }
      _ = try lines.credential(at: index, path: path)
    }
    for index in inUse { _ = try lines.credential(at: index, path: path) }
    return VerifiedVault(
      generation: first.head.generation, written: first.head.written, count: inUse.count,
      retiredCount: lines.count - inUse.count)
  }
}
