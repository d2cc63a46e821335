import Bytes
import Glibc
import JSON
package import Keychain
import SignIn

/// The right to renew an item, as a note below the item's path says it, `PATH/~renewing`.
///
/// Its record has one member, `leased_for`, in seconds from when the version was written; `0` once it was given back. Each is
/// written over the version that was read before, so of several machines one takes it. A path of that form is no item's.
struct RenewalLease {
  /// The version that says it.
  let version: Int
  /// For how long from then on, in seconds.
  let seconds: Int
  /// When it was written, by the server's clock.
  let created: Timestamp?
  /// When this process has seen it first, by ``SystemClock/awake``, in milliseconds.
  let seen: Int

  /// The longest lease that is respected, in seconds.
  static let longest = 3600

  /// How the path of a lease ends.
  static let name = "~renewing"

  /// For how many seconds others have to wait, at most; 0 once it has ended.
  ///
  /// The clocks of two machines differ. One that seems to have been taken a moment ago for hours ends when it has been seen
  /// for its time.
  func left(at now: Timestamp) -> Int {
    let bySight = seconds - (SystemClock.awake - seen) / 1000
    guard let created else { return max(0, bySight) }
    return max(0, min(bySight, Int(clamping: created.seconds + Int64(seconds) - now.seconds)))
  }
}

extension KeyValueStore {
  /// The lease of an item; one of version 0 if nobody ever had it.
  ///
  /// - Throws: ``KeychainError``, also because of the policies.
  func lease(of item: ItemPath) throws(KeychainError) -> RenewalLease {
    let path = Self.leasePath(of: item)
    let outcome = try ask(.init(method: .get, path: server.path("data", path)))
    let isAbsent = outcome.reply.status == 404 && outcome.reply.complaint() == .none
    guard isAbsent || outcome.reply.status == 200 else { throw try unexpected(outcome.reply, "data", path) }
    var version: StoredVersion?
    var seconds: Int?
    try? outcome.reply.withMember("data") { (data) throws(JSONReader.Malformed) in
      version = try StoredVersion(parsing: try ServerReply.object("metadata", of: data))
      try JSONReader.members(of: try ServerReply.object("data", of: data)) {
        (name, value) throws(JSONReader.Malformed) in
        if name == "leased_for" { seconds = Int("\(try value.string())") }
      }
    }
    // What somebody else has put there is no lease, and is replaced.
    let isLease = version?.isDeleted == false && 0...RenewalLease.longest ~= seconds ?? -1
    return RenewalLease(
      version: version?.number ?? 0, seconds: isLease ? seconds ?? 0 : 0, created: version?.created,
      seen: SystemClock.awake)
  }

  /// Writes a lease over what was read. Returns the new one; `nil` if somebody else has written meanwhile.
  ///
  /// - Throws: ``KeychainError``, also because of the policies.
  func replace(
    _ former: RenewalLease, of item: ItemPath, seconds: Int
  ) throws(KeychainError) -> RenewalLease? {
    var json = JSONWriter()
    json.beginObject()
    json.member("leased_for", ByteString("\(seconds)"))
    json.endObject()
    guard
      case .version(let version) = try write(
        json.finish(), at: Self.leasePath(of: item), over: former.version)
    else { return nil }
    return RenewalLease(
      version: version.number, seconds: seconds, created: version.created, seen: SystemClock.awake)
  }

  private static func leasePath(of item: ItemPath) -> String { item.text + "/" + RenewalLease.name }

  /// Whether this login may change what is at a path, as the server says by `sys/capabilities-self`.
  ///
  /// - Throws: ``KeychainError``, also if it may not know that.
  func mayChange(_ item: ItemPath) throws(KeychainError) -> Bool {
    let path = server.path("data", item.text)
    var json = JSONWriter()
    json.beginObject()
    json.beginArray("paths")
    json.element(ByteString(path))
    json.endArray()
    json.endObject()
    let place = "sys/capabilities-self"
    let outcome = try session.send(.init(method: .post, path: place), json.finish())
    guard outcome.reply.status == 200 else {
      if outcome.reply.status == 403 { throw error(.forbidden(path: place)) }
      throw session.notUnderstood(outcome.reply)
    }
    var mayChange = false
    do throws(JSONReader.Malformed) {
      try outcome.reply.withMember("data") { (data) throws(JSONReader.Malformed) in
        try JSONReader.members(of: data) { (name, value) throws(JSONReader.Malformed) in
          guard name == "capabilities" else { return }
          try JSONReader.elements(of: value.raw) { (word) throws(JSONReader.Malformed) in
            let word = try word.string()
            if word == "update" || word == "root" { mayChange = true }
          }
        }
      }
    } catch {
      throw session.notUnderstood(outcome.reply)
    }
    return mayChange
  }
}

extension OpenBaoKeychain: RenewalLeasing {
  package func client(for key: InternetPassword) throws(KeychainError) -> Secret? {
    do throws(KeychainError) {
      return try reading { () throws(KeychainError) -> Secret? in
        let primaryKey = Item(.internetPassword(key)).key.primaryKey
        let found = try items(matching: ItemQuery(for: .internetPassword(key)))
        let own = found.filter { $0.key.primaryKey == primaryKey }
        for item in own.isEmpty ? found : own {
          if let client = try present(item.reference).record.copyOfClient() { return client }
        }
        return nil
      }
    } catch .openBao(_, .forbidden) {
      // Whoever may write there, but not read, has none.
      return nil
    }
  }

  package func keep(client: borrowing Secret, for key: InternetPassword) throws(KeychainError) {
    let client = client.copy()
    let path = try ItemPath(.internetPassword(key))
    _ = try changing { () throws(KeychainError) -> Item in
      guard let stored = try present(path).item else { throw .itemNotFound }
      var record = ItemRecord(
        stored.record.item, stored.record.credential.copy(), created: stored.record.created,
        modified: stored.record.modified)
      record.takeRest(of: stored.record)
      record.origin = stored.record.origin
      record.client = client.copy()
      return write(record, at: path, over: stored.version)
    }
  }

  private func path(of item: Item) throws(KeychainError) -> ItemPath {
    if let reference = item.reference, let path = located[reference] { return path }
    return try ItemPath(item.key)
  }

  package func takeLease(of item: Item, for seconds: Int) throws(KeychainError) -> Int? {
    let path = try path(of: item)
    let present = try store.lease(of: path)
    let known = leases[path]
    let lease = known?.version == present.version ? known ?? present : present
    leases[path] = lease
    let left = lease.left(at: clock())
    if left > 0 { return left }
    guard try store.mayChange(path) else { throw store.forbidden("data", path.text) }
    guard let own = try store.replace(present, of: path, seconds: seconds) else { return 1 }
    leases[path] = own
    return nil
  }

  package func endLease(of item: Item) {
    guard let path = try? path(of: item), let own = leases.removeValue(forKey: path)
    else { return }
    _ = try? store.replace(own, of: path, seconds: 0)
  }
}
