import Bytes
import Keychain
import SignIn

/// The key-value store, version 2, that holds a keychain: one request and its meaning at a time.
final class KeyValueStore {
  let session: OpenBaoSession
  private var bounds = ReadingBounds()
  /// When the present question began, and its time limit, in milliseconds; `nil` if there is none.
  private var time: (start: Int, limit: Int)?

  init(_ session: OpenBaoSession) {
    self.session = session
  }

  var server: OpenBaoServer { session.server }

  /// Whether items are being read in order to change them.
  var isChanging: Bool {
    get { session.isChanging }
    set { session.isChanging = newValue }
  }

  func error(_ fault: OpenBaoFault.Reason) -> KeychainError { session.error(fault) }

  /// Begins another question, with new reading bounds.
  func beginQuestion() { bounds = ReadingBounds() }

  /// Reads for one question, within a time limit. A nested question is part of it.
  ///
  /// - Parameter milliseconds: when to stop sending requests. A request under way has its own limit.
  /// - Throws: ``KeychainError``, in particular ``OpenBaoFault/Reason/tooLong(seconds:)`` after the limit.
  func answering<Result: ~Copyable>(
    within milliseconds: Int, _ body: () throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    if time != nil { return try body() }
    time = (SystemClock.awake, milliseconds)
    defer { time = nil }
    return try body()
  }

  /// Sends a request that reads, if there is time left.
  func ask(_ request: ServerRequest) throws(KeychainError) -> ServerReply {
    if let time, SystemClock.awake - time.start >= time.limit {
      throw error(.tooLong(seconds: time.limit / 1000))
    }
    return try session.send(request)
  }

  private func refuse(_ fault: OpenBaoFault.Reason?) throws(KeychainError) {
    if let fault { throw error(fault) }
  }

  /// The meaning of a 403.
  ///
  /// - Parameter isWriting: whether the request was to write at a path of the interface `data`.
  func forbidden(_ interface: String, _ path: String, isWriting: Bool = false) -> KeychainError {
    let access: OpenBaoFault.Reason.Access =
      switch interface {
      case "metadata": .listing
      case "delete": .deleting
      case "undelete": .undeleting
      default: isWriting ? .writing : .reading
      }
    return error(.forbidden(access, path: server.path(interface, path)))
  }

  /// The error for an unexpected status, as from other engines than version 2 of the key-value store.
  func unexpected(
    _ reply: borrowing ServerReply, _ interface: String, _ path: String
  ) throws(KeychainError) -> KeychainError {
    if reply.status == 403 { return forbidden(interface, path) }
    if reply.complaint() == .noRoute { return error(.noMount(place)) }
    if (400..<500).contains(reply.status) { try requireVersion2() }
    return session.notUnderstood(reply)
  }

  /// The mount, with its namespace.
  private var place: String {
    server.namespace.isEmpty ? server.mount : server.namespace + "/" + server.mount
  }

  // MARK: Reading

  /// Reads a path.
  ///
  /// - Throws: ``KeychainError``, but not because of the policies.
  func read(_ path: ItemPath) throws(KeychainError) -> KnownPath {
    switch try read(path, version: nil) {
    case .none: return .forbidden
    case .record(let record, let version):
      return .item(StoredItem(record, at: path, version: version.number))
    case .moved(let destination, let version): return .moved(to: destination, version: version.number)
    case .foreign(let version): return .foreign(version: version.number)
    case .deleted(let version): return .absent(version: version.number)
    case .absent:
      try requireVersion2()
      return .absent(version: 0)
    }
  }

  /// Reads one version of a path, or the newest; `nil` if the policies don't allow it.
  ///
  /// - Throws: ``KeychainError``, but not because of the policies.
  func read(_ path: ItemPath, version: Int?) throws(KeychainError) -> ReadOutcome? {
    let reply = try ask(
      .init(
        method: .get, path: server.path("data", path.text), query: version.map { "version=\($0)" }))
    try refuse(bounds.takeAnswer(of: reply.body.count))
    switch reply.status {
    case 403: return nil
    case 200: break
    case 404 where reply.complaint() == .none: break
    default: throw try unexpected(reply, "data", path.text)
    }
    do throws(JSONReader.Malformed) {
      return try ReadOutcome(reply, at: path)
    } catch {
      // Version 1 has no version numbers.
      try requireVersion2()
      throw session.notUnderstood(reply)
    }
  }

  /// The paths in and below a folder, sorted; `nil` if the policies don't allow listing.
  ///
  /// - Parameter beginning: how the paths must begin; folders without any such path are not listed.
  /// - Throws: ``KeychainError``, but not because of the policies for the folder itself.
  func paths(below folder: String, beginningWith beginning: String = "") throws(KeychainError) -> [String]? {
    let scans = session.mayScan
    if scans {
      try refuse(bounds.takeFolder(atDepth: 0))
      let reply = try list(.scan, folder)
      switch reply.status {
      case 200:
        session.noteScan(true)
        let keys = try keys(reply)
        return try present(keys.items.map { Self.join(folder, $0) }, beginning)
      case 404 where reply.complaint() == .none:
        session.noteScan(true)
        return try present([], beginning)
      case 403, 404, 405: break
      default: throw try unexpected(reply, "metadata", folder)
      }
    }
    guard let listed = try listAll(below: folder, beginning, depth: 0) else { return nil }
    if scans { session.noteScan(false) }
    return try present(listed, beginning)
  }

  private func present(_ paths: [String], _ beginning: String) throws(KeychainError) -> [String] {
    // A mount of version 1 seems to have no folder of metadata.
    if paths.isEmpty { try requireVersion2() }
    return paths.filter { $0.hasPrefix(beginning) }.sorted()
  }

  /// The paths that the policies let this login list and read, as far as it may know.
  ///
  /// - Throws: ``KeychainError``, but not because of the policies.
  func allowedPaths() throws(KeychainError) -> AllowedPaths {
    let reply = try ask(.init(method: .get, path: "sys/internal/ui/resultant-acl"))
    if reply.status != 200 { return AllowedPaths() }
    func places(_ interface: String) -> [String] {
      let path = server.path(interface, "")
      return server.namespace.isEmpty ? [path] : [server.namespace + "/" + path, path]
    }
    // The reply's form is internal to the server.
    let allowed = try? AllowedPaths(reply, metadata: places("metadata"), data: places("data"))
    return allowed ?? AllowedPaths()
  }

  private func listAll(
    below folder: String, _ beginning: String, depth: Int
  ) throws(KeychainError) -> [String]? {
    try refuse(bounds.takeFolder(atDepth: depth))
    let reply = try list(.list, folder)
    switch reply.status {
    case 200: break
    case 404 where reply.complaint() == .none: return []
    case 403: return nil
    default: throw try unexpected(reply, "metadata", folder)
    }
    let keys = try keys(reply)
    var paths = keys.items.map { Self.join(folder, $0) }
    // A folder that others keep to themselves isn't for this login.
    for name in keys.folders {
      let inner = Self.join(folder, name)
      guard (inner + "/").hasPrefix(beginning) || beginning.hasPrefix(inner + "/") else { continue }
      paths += try listAll(below: inner, beginning, depth: depth + 1) ?? []
    }
    return paths
  }

  private func list(
    _ method: HTTPRequest.Method, _ folder: String
  ) throws(KeychainError) -> ServerReply {
    let path = server.path("metadata", folder)
    // A query's items are in a server's folder, with few folders below it.
    let isInner = folder.utf8.contains(UInt8(ascii: "/"))
    return try ask(
      .init(method: method, path: path + "/", maximumReply: ReadingBounds.list, mayTakeLong: !isInner))
  }

  private func keys(_ reply: borrowing ServerReply) throws(KeychainError) -> FolderKeys {
    let keys = try server.understood(reply) { (reply) throws(JSONReader.Malformed) in try FolderKeys(reply) }
    try refuse(bounds.takeAnswer(of: reply.body.count))
    try refuse(bounds.takeItems(keys.items.count))
    return keys
  }

  private static func join(_ folder: String, _ name: String) -> String {
    folder.isEmpty ? name : folder + "/" + name
  }

  /// Throws unless the mount is of version 2. With version 1, items would seem absent, and writes be lost later.
  ///
  /// - Parameter again: whether to ask even if it is known.
  func requireVersion2(again: Bool = false) throws(KeychainError) {
    if session.memory.isVersion2, !again { return }
    let reply = try session.send(.init(method: .get, path: "sys/internal/ui/mounts/" + server.mount))
    switch reply.status {
    case 200: break
    // A login without any rights there isn't told whether it exists.
    case 403, 404: throw error(.noMount(place))
    default: throw session.notUnderstood(reply)
    }
    var isStore = false
    var version: ByteString?
    try server.data(of: reply) { (name, value) throws(JSONReader.Malformed) in
      if name == "type" { isStore = try value.string() == "kv" }
      if name == "options", value.kind == .object {
        try JSONReader.members(of: value.raw) { (name, value) throws(JSONReader.Malformed) in
          if name == "version" { version = try value.string() }
        }
      }
    }
    guard isStore, version == "2" else { throw error(.notVersion2(mount: place)) }
    session.note { $0.isVersion2 = true }
  }

  // MARK: Changing

  /// Writes an item if its path is still in this version; 0 for a path never used. If it isn't, this very write may be
  /// the reason: a request can arrive without an answer and be sent again, also by libcurl when a reused connection has
  /// just ended.
  func write(_ item: StoredItem, over version: Int) throws(KeychainError) -> ItemWritten {
    switch try write(item.record.encoded(inVersion: version + 1), at: item.path.text, over: version) {
    case .version(let version): return .version(version)
    case .contested:
      let found = try read(item.path)
      guard case .item(let present) = found, let id = item.record.writeID, present.record.writeID == id else {
        return .contested(found)
      }
      return .version(
        StoredVersion(number: present.version, created: present.record.item.modificationDate))
    }
  }

  enum ItemWritten {
    case version(StoredVersion)
    /// Its path was in another version, with these contents.
    case contested(KnownPath)
  }

  /// Leaves a note in place of a moved item, if its path is still in this version. Returns whether the note is there
  /// now. Only the process that wrote the item at its new path leaves it.
  func leaveNote(at path: ItemPath, over version: Int, movedTo other: ItemPath) throws(KeychainError) -> Bool
  {
    switch try write(ItemRecord.moved(to: other), at: path.text, over: version) {
    case .version: return true
    case .contested:
      guard case .moved(other, version + 1) = try read(path) else { return false }
      return true
    }
  }

  enum Written {
    case version(StoredVersion)
    case contested
  }

  /// Writes a record if its path is still in this version; 0 for a path never used.
  func write(
    _ record: borrowing Secret, at path: String, over version: Int
  ) throws(KeychainError) -> Written {
    try requireVersion2()
    var json = JSONWriter(capacity: record.count + 64)
    json.beginObject()
    json.beginObject("options")
    json.member("cas", version)
    json.endObject()
    record.withUnsafeBytes { json.rawMember(name: ("data" as StaticString).bytes, value: $0) }
    json.endObject()
    let reply = try session.send(
      .init(method: .post, path: server.path("data", path)), json.finish())
    switch (reply.status, reply.complaint()) {
    case (200, _):
      return .version(
        try server.understood(reply) { (reply) throws(JSONReader.Malformed) in
          try reply.withMember("data") { (data) throws(JSONReader.Malformed) in
            try StoredVersion(parsing: data)
          }
        })
    case (400, .wrongVersion): return .contested
    case (403, _): throw forbidden("data", path, isWriting: true)
    default: throw try unexpected(reply, "data", path)
    }
  }

  /// Deletes one version of an item, which can be undone.
  func delete(_ version: Int, of path: ItemPath) throws(KeychainError) {
    try change("delete", version, of: path)
  }

  /// Undoes the deletion of a version.
  func undelete(_ version: Int, of path: ItemPath) throws(KeychainError) {
    try change("undelete", version, of: path)
  }

  private func change(_ interface: String, _ version: Int, of path: ItemPath) throws(KeychainError) {
    var json = JSONWriter()
    json.beginObject()
    json.beginArray("versions")
    json.element(Int64(version))
    json.endArray()
    json.endObject()
    let reply = try session.send(
      .init(method: .post, path: server.path(interface, path.text)), json.finish())
    guard reply.status == 204 || reply.status == 200 else {
      throw try unexpected(reply, interface, path.text)
    }
  }
}
