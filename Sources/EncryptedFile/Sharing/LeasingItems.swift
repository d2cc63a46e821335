import Bytes
package import Keychain

extension EncryptedFileKeychain: RenewalLeasing {
  /// Another machine's right to renew an item, as seen here.
  struct SeenLease {
    let holder: String
    /// When it was first seen, by ``SystemClock/sinceBoot``, in milliseconds: two machines' clocks can't be compared.
    let since: Int
  }

  package func takeLease(
    of item: Item, for seconds: Int, isUrgent: Bool
  ) throws(KeychainError) -> LeaseOutcome {
    guard let sharing, let name = Self.leaseName(of: item) else { return .taken }
    let seen = seenLeases[name]
    let elapsed = seen.map { SystemClock.sinceBoot - $0.since } ?? 0
    let isOver = elapsed >= seconds * 1000
    switch sharing.takeLease(name, over: isOver ? seen?.holder : nil) {
    case .taken(let holder):
      ownLeases[name] = holder
      return .taken
    case .unknown: return .taken
    case .held(let holder):
      if holder == seen?.holder { return .held(seconds: max(1, seconds - elapsed / 1000)) }
      seenLeases[name] = SeenLease(holder: holder, since: SystemClock.sinceBoot)
      return .held(seconds: seconds)
    case .failed: throw .unavailable(reason: Self.outOfStep)
    }
  }

  package var mayBeBehind: Bool { sharing != nil }

  package func endLease(of item: Item, pausing pause: Int) {
    guard let name = Self.leaseName(of: item), let holder = ownLeases.removeValue(forKey: name) else {
      return
    }
    sharing?.endLease(name, of: holder)
  }

  /// The name of an item's lease: its reference, which is random and the same on all machines.
  private static func leaseName(of item: Item) -> String? {
    item.reference.map { hexadecimal(Array($0.bytes.bytes.prefix(64))) }
  }
}
