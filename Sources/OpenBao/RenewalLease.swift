package import Bytes
package import Keychain
import SignIn

/// The right to renew an item, as a note below the item's path: `PATH/~renewing`, which is no item's path.
///
/// Its record has the members `leased_for`, in seconds from when the version was written, or `0` once given back, and
/// `word`, by which its holder recognizes it. Each is written over the version that was read before, so only one of
/// several machines gets it.
///
/// After a failed request, it also says how long the service wants to be left alone: `paused_for`, in seconds from
/// then, and `paused_version`, the item's version used for the request. Any other version has another token, which the
/// service has issued since.
package struct RenewalLease {
  /// The note's version; 0 if there never was one.
  let version: Int
  /// The duration in seconds.
  let seconds: Int
  let word: ByteString
  /// When it was written, by the server's clock.
  let created: Timestamp?
  /// For how many seconds from then the service isn't to be asked, and with which version of the item; 0 for none.
  let pause: Int
  let pausedVersion: Int
  /// When this process first saw it, by ``SystemClock/sinceBoot``, in milliseconds.
  let seen = SystemClock.sinceBoot

  /// The longest lease that is respected, in seconds.
  static let longest = 3600
  /// The longest pause that is respected, in seconds, as on one machine.
  static let longestPause = 3600
  /// How many seconds this machine's clock may be behind the server's for a pause to be respected.
  private static let lag: Int64 = 60
  /// After how many seconds a lease counts as abandoned, although it was never seen to end: no clock is that wrong.
  private static let outdated: Int64 = 86_400

  static let name = "~renewing"

  package init(
    version: Int, seconds: Int, word: ByteString, created: Timestamp?, pause: Int = 0, pausedVersion: Int = 0
  ) {
    self.version = version
    self.seconds = seconds
    self.word = word
    self.created = created
    self.pause = 1...Self.longestPause ~= pause ? pause : 0
    self.pausedVersion = pausedVersion
  }

  /// How many seconds others must wait at most; 0 once it has ended.
  ///
  /// It ends when it has been seen for its duration. The server's date can't decide that: if the clock here were ahead
  /// by more, two machines would renew at once.
  package func left(at now: Timestamp) -> Int {
    if let created, now.seconds - created.seconds > Self.outdated { return 0 }
    return max(0, seconds - (SystemClock.sinceBoot - seen) / 1000)
  }

  /// For how many seconds the service isn't to be asked with a version of the item; 0 once it may be. Nobody waits for
  /// that, so it ends by the dates. It isn't respected if the clocks are too far apart.
  package func pauseLeft(ofVersion item: Int, at now: Timestamp) -> Int {
    guard let created, pausedVersion == item else { return 0 }
    let passed = now.seconds - created.seconds
    guard passed >= -Self.lag else { return 0 }
    return max(0, pause - Int(max(0, passed)))
  }
}

extension KeyValueStore {
  /// The lease of an item; one of version 0 if there never was one, or the record is somebody else's.
  ///
  /// - Throws: ``KeychainError``, also because of the policies.
  func lease(of item: ItemPath) throws(KeychainError) -> RenewalLease {
    let path = Self.leasePath(of: item)
    let reply = try ask(.init(method: .get, path: server.path("data", path)))
    let isAbsent = reply.status == 404 && reply.complaint() == .none
    guard isAbsent || reply.status == 200 else { throw try unexpected(reply, "data", path) }
    return try server.understood(reply) { (reply) throws(JSONReader.Malformed) in try Self.lease(reply) }
  }

  private static func lease(_ reply: borrowing ServerReply) throws(JSONReader.Malformed) -> RenewalLease {
    var version: StoredVersion?
    var data: UnsafeRawBufferPointer?
    var seconds: Int?
    var word: ByteString = ""
    var (pause, pausedVersion) = (0, 0)
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
        if name == "paused_for" { pause = Int("\(try value.string())") ?? 0 }
        if name == "paused_version" { pausedVersion = Int("\(try value.string())") ?? 0 }
      }
    }
    guard let version else {
      guard reply.status == 404 else { throw JSONReader.Malformed() }
      return RenewalLease(version: 0, seconds: 0, word: "", created: nil)
    }
    let isLease = !version.isDeleted && 0...RenewalLease.longest ~= seconds ?? -1
    return RenewalLease(
      version: version.number, seconds: isLease ? seconds ?? 0 : 0, word: word, created: version.created,
      pause: version.isDeleted ? 0 : pause, pausedVersion: pausedVersion)
  }

  /// Writes a lease over the one that was read. Returns the new one; `nil` if somebody else has written meanwhile.
  ///
  /// - Parameter pause: for how many seconds the service isn't to be asked, with a version of the item; `nil` if it may
  ///   be.
  /// - Throws: ``KeychainError``, also because of the policies.
  func replace(
    _ former: RenewalLease, of item: ItemPath, seconds: Int, pause: (seconds: Int, version: Int)? = nil
  ) throws(KeychainError) -> RenewalLease? {
    let word = ByteString(String(UInt64.random(in: 0...UInt64.max), radix: 16))
    var json = JSONWriter()
    json.beginObject()
    json.member("leased_for", ByteString("\(seconds)"))
    json.member("word", word)
    if let pause {
      json.member("paused_for", ByteString("\(pause.seconds)"))
      json.member("paused_version", ByteString("\(pause.version)"))
    }
    json.endObject()
    switch try write(json.finish(), at: Self.leasePath(of: item), over: former.version) {
    case .version(let version):
      return RenewalLease(version: version.number, seconds: seconds, word: word, created: version.created)
    case .contested:
      // As with an item, an earlier try may have arrived.
      let present = try lease(of: item)
      return present.word == word ? present : nil
    }
  }

  private static func leasePath(of item: ItemPath) -> String { item.text + "/" + RenewalLease.name }

  /// Checks by `sys/capabilities-self` that this login may change a path and its lease.
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
      try server.data(of: reply) { (name, value) throws(JSONReader.Malformed) in
        guard name == "capabilities" else { return }
        try JSONReader.elements(of: value.raw) { (word) throws(JSONReader.Malformed) in
          words.insert(try word.string())
        }
      }
      let mayChange = words.contains("update") || words.contains("root")
      guard mayChange, !words.contains("deny") else { throw forbidden("data", path, isWriting: true) }
    }
  }
}

extension OpenBaoKeychain: RemoteKeychain {
  package func client(for key: InternetPassword) throws(KeychainError) -> Secret? {
    // The right to write another account's login says nothing about this one.
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
    } catch {
      // Without the right to read there, there is none.
      if case .forbidden = error.ofOpenBao { return nil }
      throw error
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

  /// Where the lease of an item is: at the path where it was added, because it can move during the renewal.
  private func leasedPath(of item: Item) throws(KeychainError) -> ItemPath {
    if let reference = item.reference, let path = StoredItem.path(in: reference) { return path }
    return try ItemPath(item.key)
  }

  package func takeLease(
    of item: Item, for seconds: Int, isUrgent: Bool
  ) throws(KeychainError) -> LeaseOutcome {
    let path = try leasedPath(of: item)
    let present = try store.lease(of: path)
    let known = leases[path]
    let lease = known?.version == present.version ? known ?? present : present
    leases[path] = lease
    let left = lease.left(at: clock())
    if left > 0 { return .held(seconds: left) }
    if lease.pause > 0, !isUrgent {
      let wait = lease.pauseLeft(ofVersion: try self.present(item.reference).version, at: clock())
      if wait > 0 { return .paused(seconds: wait) }
    }
    try store.session.requireLife(ofSeconds: seconds)
    try store.requireRight(toRenew: ItemPath(item.key), leasedAt: path)
    guard let own = try store.replace(present, of: path, seconds: seconds) else { return .held(seconds: 1) }
    leases[path] = own
    // A token issued by the service in the meantime is lost if it can't be stored.
    store.session.isPatient = true
    return .taken
  }

  package func endLease(of item: Item, pausing pause: Int) {
    store.session.isPatient = false
    guard let path = try? leasedPath(of: item), let own = leases.removeValue(forKey: path) else { return }
    var paused: (seconds: Int, version: Int)?
    // The service was asked with the version that was read last.
    if pause > 0, let version = try? present(item.reference).version {
      paused = (min(pause, RenewalLease.longestPause), version)
    }
    _ = try? store.replace(own, of: path, seconds: 0, pause: paused)
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
