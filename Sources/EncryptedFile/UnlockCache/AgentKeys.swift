import Age
import Bytes
import Glibc

struct AgentKeys {
  static let maximumCount = 64
  /// The memory for their keys in bytes.
  static let memorySize = maximumCount * entrySize

  private static let entrySize = 3 * KeptKey.keySize

  private struct Entry {
    let uuid: [UInt8]
    /// Secret key, recipient and authentication key.
    let keys: UnsafeMutableRawBufferPointer
    let idle: Int
    var idleEnd: Int
    let end: Int

    /// When it expires, in milliseconds since boot.
    var nextEnd: Int { min(idleEnd, end) }
  }

  private var entries: [Entry] = []
  private var free: [UnsafeMutableRawBufferPointer]
  private(set) var hasKept = false

  /// - Parameter memory: ``memorySize`` zeroed bytes that live as long as this value.
  init(_ memory: UnsafeMutableRawBufferPointer) {
    free = (0..<Self.maximumCount).map {
      UnsafeMutableRawBufferPointer(rebasing: memory[$0 * Self.entrySize..<($0 + 1) * Self.entrySize])
    }
  }

  var isEmpty: Bool { entries.isEmpty }

  var nextEnd: Int? { entries.map(\.nextEnd).min() }

  mutating func sweep(at now: Int) {
    remove { $0.nextEnd <= now }
  }

  mutating func removeAll() {
    remove { _ in true }
  }

  private mutating func remove(where isToGo: (Entry) -> Bool) {
    for index in entries.indices.reversed() where isToGo(entries[index]) {
      let entry = entries.remove(at: index)
      entry.keys.wipe()
      free.append(entry.keys)
    }
  }

  /// Performs a request.
  ///
  /// - Parameters:
  ///   - arguments: as many bytes as the operation takes.
  ///   - result: as many bytes as the operation returns, written if the outcome is `done`.
  ///   - now: the time, in milliseconds since boot.
  /// - Returns: `nil` if the arguments are out of bounds.
  mutating func perform(
    _ operation: AgentProtocol.Operation, _ arguments: UnsafeRawBufferPointer,
    into result: UnsafeMutableRawBufferPointer, at now: Int
  ) -> AgentProtocol.Outcome? {
    sweep(at: now)
    if operation == .forgetAll {
      removeAll()
      return .done
    }
    let uuid = Array(arguments.prefix(AgentProtocol.uuidSize))
    let rest = UnsafeRawBufferPointer(rebasing: arguments[AgentProtocol.uuidSize...])
    if operation == .keep { return keep(uuid, rest, at: now) }
    guard let index = entries.firstIndex(where: { $0.uuid == uuid }) else { return .notKept }
    switch operation {
    case .describe:
      if rest[0] != 0 { entries[index].idleEnd = now + entries[index].idle }
      let keys = UnsafeRawBufferPointer(entries[index].keys)
      result.copyMemory(from: UnsafeRawBufferPointer(rebasing: keys[KeptKey.keySize...]))
      let fileKey = result.part(2 * KeptKey.keySize + 1, FileKey.size)
      fileKey.wipe()
      let isOpened = rest[1] != 0 && Self.unwrap(rest.dropFirst(2), with: keys, into: fileKey) == .done
      result[2 * KeptKey.keySize] = isOpened ? 1 : 0
      return .done
    case .unwrap:
      let keys = UnsafeRawBufferPointer(entries[index].keys)
      let isSame = rest.prefix(KeptKey.keySize).elementsEqual(keys[KeptKey.keySize..<2 * KeptKey.keySize])
      return isSame ? Self.unwrap(rest.dropFirst(KeptKey.keySize), with: keys, into: result) : .notKept
    case .state:
      let left = [entries[index].nextEnd - now, entries[index].end - now]
      for (number, milliseconds) in left.enumerated() {
        withUnsafeBytes(of: UInt32(clamping: milliseconds / 1000).bigEndian) {
          UnsafeMutableRawBufferPointer(rebasing: result[(4 * number)...]).copyMemory(from: $0)
        }
      }
      return .done
    case .forget:
      remove { $0.uuid == uuid }
      return .done
    case .keep, .forgetAll: return nil
    }
  }

  private mutating func keep(
    _ uuid: [UInt8], _ arguments: UnsafeRawBufferPointer, at now: Int
  ) -> AgentProtocol.Outcome? {
    let idle = Int(arguments.bigEndian(at: 0, UInt32.self))
    let total = Int(arguments.bigEndian(at: 4, UInt32.self))
    guard UnlockLimits.bounds ~= idle, UnlockLimits.bounds ~= total else { return nil }
    remove { $0.uuid == uuid }
    guard let keys = free.popLast() else { return .full }
    keys.copyMemory(from: UnsafeRawBufferPointer(rebasing: arguments[8...]))
    entries.append(
      Entry(uuid: uuid, keys: keys, idle: idle * 1000, idleEnd: now + idle * 1000, end: now + total * 1000))
    hasKept = true
    return .done
  }

  private static func unwrap(
    _ stanza: Slice<UnsafeRawBufferPointer>, with keys: UnsafeRawBufferPointer,
    into result: UnsafeMutableRawBufferPointer
  ) -> AgentProtocol.Outcome? {
    func part(_ number: Int) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(rebasing: keys[number * KeptKey.keySize..<(number + 1) * KeptKey.keySize])
    }
    let wrapped = X25519WrappedKey(
      share: Array(stanza.prefix(X25519WrappedKey.shareSize)),
      body: Array(stanza.dropFirst(X25519WrappedKey.shareSize)))
    guard let wrapped else { return nil }
    do throws(AgeError) {
      let recipient = try X25519Recipient(publicKey: Array(part(1)))
      let identity = try X25519Identity(secretKey: part(0), recipient: recipient)
      guard let fileKey = try identity.unwrap(wrapped) else { return .noMatch }
      fileKey.withUnsafeBytes { result.copyMemory(from: $0) }
      return .done
    } catch {
      return .lowOrder
    }
  }
}
