package import Bytes
import JSON
package import Keychain
import SignIn

/// The right to renew an item, as a note below the item's path says it, `PATH/~renewing`.
///
/// Its record has the members `leased_for`, in seconds from when the version was written, `0` once it was given back, and
/// `word`, by which its holder knows it. Each is written over the version that was read before, so of several machines one takes
/// it. A path of that form is no item's.
package struct RenewalLease {
  /// The version that says it; 0 if nobody ever had it.
  let version: Int
  /// For how long, in seconds.
  let seconds: Int
  /// The holder's word.
  let word: ByteString
  /// When it was written, by the server's clock.
  let created: Timestamp?
  /// When this process has seen it first, by ``SystemClock/sinceBoot``, in milliseconds.
  let seen = SystemClock.sinceBoot

  /// The longest lease that is respected, in seconds.
  static let longest = 3600
  /// From when on one counts as left behind although it was never seen to end, in seconds: no clock is that wrong.
  private static let outdated: Int64 = 86_400

  /// How the path of a lease ends.
  static let name = "~renewing"

  /// One that is seen now.
  package init(version: Int, seconds: Int, word: ByteString, created: Timestamp?) {
    self.version = version
    self.seconds = seconds
    self.word = word
    self.created = created
  }

  /// For how many seconds others have to wait, at most; 0 once it has ended.
  ///
  /// It ends when it has been seen for its time. The server's date doesn't say that: the clock here may be ahead by more, and
  /// two would renew at once.
  package func left(at now: Timestamp) -> Int {
    if let created, now.seconds - created.seconds > Self.outdated { return 0 }
    return max(0, seconds - (SystemClock.sinceBoot - seen) / 1000)
  }
}

extension KeyValueStore {
  /// The lease of an item; one of version 0 if nobody ever had it. What somebody else has put there is none.
  ///
  /// - Throws: ``KeychainError``, also because of the policies.
  func lease(of item: ItemPath) throws(KeychainError) -> RenewalLease {
    let path = Self.leasePath(of: item)
    let reply = try ask(.init(method: .get, path: server.path("data", path)))
    let isAbsent = reply.status == 404 && reply.complaint() == .none
    guard isAbsent || reply.status == 200 else { throw try unexpected(reply, "data", path) }
    do throws(JSONReader.Malformed) {
      return try Self.lease(reply)
    } catch {
      throw session.notUnderstood(reply)
    }
  }

  private static func lease(_ reply: borrowing ServerReply) throws(JSONReader.Malformed) -> RenewalLease {
    var version: StoredVersion?
    var data: UnsafeRawBufferPointer?
    var seconds: Int?
    var word: ByteString = ""
    try reply.body.withUnsafeBytes { (text) throws(JSONReader.Malformed) in
      try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
        guard name == "data", value.kind == .object else { return }
        try JSONReader.members(of: value.raw) { (name, value) throws(JSONReader.Malformed) in
          if name == "metadata" { version = try StoredVersion(parsing: value.raw) }
          if name == "data", value.kind == .object { data = value.raw }
        }
      }
      guard let data else { return }
      try JSONReader.members(of: data) { (name, value) throws(JSONReader.Malformed) in
        guard value.kind == .string else { return }
        if name == "leased_for" { seconds = Int("\(try value.string())") }
        if name == "word" { word = try value.string() }
      }
    }
    guard let version else {
      guard reply.status == 404 else { throw JSONReader.Malformed() }
      return RenewalLease(version: 0, seconds: 0, word: "", created: nil)
    }
    let isLease = !version.isDeleted && 0...RenewalLease.longest ~= seconds ?? -1
    return RenewalLease(
      version: version.number, seconds: isLease ? seconds ?? 0 : 0, word: word, created: version.created)
  }

  /// Writes a lease over what was read. Returns the new one; `nil` if somebody else has written meanwhile.
  ///
  /// - Throws: ``KeychainError``, also because of the policies.
  func replace(
    _ former: RenewalLease, of item: ItemPath, seconds: Int
  ) throws(KeychainError) -> RenewalLease? {
    let word = ByteString(String(UInt64.random(in: 0...UInt64.max), radix: 16))
    var json = JSONWriter()
    json.beginObject()
    json.member("leased_for", ByteString("\(seconds)"))
    json.member("word", word)
    json.endObject()
    switch try write(json.finish(), at: Self.leasePath(of: item), over: former.version) {
    case .version(let version):
      return RenewalLease(version: version.number, seconds: seconds, word: word, created: version.created)
    case .contested:
      // It may have arrived before, as an item may.
      let present = try lease(of: item)
      return present.word == word ? present : nil
    }
  }

  private static func leasePath(of item: ItemPath) -> String { item.text + "/" + RenewalLease.name }

  /// Checks that this login may change what is at a path, and its lease, as the server says by `sys/capabilities-self`.
  ///
  /// - Throws: ``KeychainError``, also if it may not know that.
  func requireRight(toRenew item: ItemPath, leasedAt leased: ItemPath) throws(KeychainError) {
    let place = "sys/capabilities-self"
    for path in [item.text, Self.leasePath(of: leased)] {
      var json = JSONWriter()
      json.beginObject()
      json.beginArray("paths")
      json.element(ByteString(server.path("data", path)))
      json.endArray()
      json.endObject()
      let reply = try session.send(.init(method: .post, path: place), json.finish())
      guard reply.status == 200 else {
        if reply.status == 403 { throw error(.forbidden(.reading, path: place)) }
        throw session.notUnderstood(reply)
      }
      var words: Set<ByteString> = []
      do throws(JSONReader.Malformed) {
        try reply.withMember("data") { (data) throws(JSONReader.Malformed) in
          try JSONReader.members(of: data) { (name, value) throws(JSONReader.Malformed) in
            guard name == "capabilities" else { return }
            try JSONReader.elements(of: value.raw) { (word) throws(JSONReader.Malformed) in
              words.insert(try word.string())
            }
          }
        }
      } catch {
        throw session.notUnderstood(reply)
      }
      let mayChange = words.contains("update") || words.contains("root")
      guard mayChange, !words.contains("deny") else { throw forbidden("data", path, isWriting: true) }
    }
  }
}

extension OpenBaoKeychain: RemoteKeychain {
  package func client(for key: InternetPassword) throws(KeychainError) -> Secret? {
    // Whoever may write the login of another account has no say in this one.
    guard key.account != nil else { return nil }
    do throws(KeychainError) {
      return try reading { () throws(KeychainError) -> Secret? in
        let primaryKey = Item(.internetPassword(key)).key.primaryKey
        let own = try items(matching: ItemQuery(for: .internetPassword(key))).first {
          $0.key.primaryKey == primaryKey
        }
        guard let own else { return nil }
        return try present(own.reference).record.copyOfClient()
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

  /// Where the lease of an item is: at the path at which it was added, for it can move while it is renewed.
  private func leasedPath(of item: Item) throws(KeychainError) -> ItemPath {
    if let reference = item.reference, let path = StoredItem.path(in: reference) { return path }
    return try ItemPath(item.key)
  }

  package func takeLease(of item: Item, for seconds: Int) throws(KeychainError) -> Int? {
    let path = try leasedPath(of: item)
    let present = try store.lease(of: path)
    let known = leases[path]
    let lease = known?.version == present.version ? known ?? present : present
    leases[path] = lease
    let left = lease.left(at: clock())
    if left > 0 { return left }
    try store.session.requireLife(ofSeconds: seconds)
    try store.requireRight(toRenew: ItemPath(item.key), leasedAt: path)
    guard let own = try store.replace(present, of: path, seconds: seconds) else { return 1 }
    leases[path] = own
    // What a service gives while it lasts is lost if it can't be stored.
    store.session.isPatient = true
    return nil
  }

  package func endLease(of item: Item) {
    store.session.isPatient = false
    guard let path = try? leasedPath(of: item), let own = leases.removeValue(forKey: path) else { return }
    _ = try? store.replace(own, of: path, seconds: 0)
  }

  package func hasReplaced(_ secret: borrowing Secret, of item: Item) throws(KeychainError) -> Bool {
    if renewer?.hasReplaced(secret, of: item) ?? false { return true }
    let secret = secret.copy()
    return try reading { () throws(KeychainError) -> Bool in
      for item in try items(matching: ItemQuery(for: item.key)) {
        if try present(item.reference).record.hasReplaced(secret) { return true }
      }
      return false
    }
  }
}
