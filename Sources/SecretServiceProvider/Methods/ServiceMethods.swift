import Bytes
import Keychain
import SecretService

extension Provider {
  /// The methods of the service itself (Secret Service draft 0.2, "org.freedesktop.Secret.Service").
  func answerService(_ call: MethodCall) throws(ServiceError) {
    switch call.member {
    case "OpenSession": try openSession(call)
    case "CreateCollection": try createCollection(call)
    case "SearchItems":
      let wanted = try attributes(try call.arguments("(a{ss})")[0])
      try search(wanted, in: nil, for: call) { unlocked, locked in
        call.answer([Argument.paths(unlocked), Argument.paths(locked)])
      }
    case "Unlock": try unlock(call)
    case "Lock": try lock(call)
    case "LockService":
      _ = try call.arguments("()")
      _ = settings.lock()
      update()
      call.answer()
    case "GetSecrets": try getSecrets(call)
    case "ReadAlias":
      let alias = try text(try call.arguments("(s)")[0])
      call.answer([
        Argument.path(holdings.collection(alias: alias).map(ObjectPath.collection) ?? ObjectPath.none)
      ])
    case "SetAlias": try setAlias(call)
    case "ChangeLock": throw .notSupported("the passphrase is changed by 'llavero passphrase'")
    default: throw .unknownMethod
    }
  }

  private func openSession(_ call: MethodCall) throws(ServiceError) {
    let arguments = try call.arguments("(sv)")
    let (session, output) = try sessions.open(
      try text(arguments[0]), try content(arguments[1]), for: call.sender)
    call.answer([Argument.variant(output), Argument.path(session.path)])
    // The next session then waits for one calculation less.
    MainLoop.post { [self] in sessions.prepare() }
  }

  /// The paths of the results, unlocked and locked.
  func search(
    _ wanted: LookupAttributes, in collection: ByteString?, for call: MethodCall
  ) throws(ServiceError) -> (unlocked: [String], locked: [String]) {
    let items = holdings.search(wanted, in: collection)
    let found = items.map(\.path)
    call.concerns = items
    switch state {
    case .unlocked:
      let open = open(items, for: call.sender).map(\.path)
      if open.count == found.count { return (found, []) }
      let isOpen = Set(open)
      return (open, found.filter { !isOpen.contains($0) })
    case .unusable: try requireUnlocked()
    case .locked: break
    }
    if collection == Self.sessionCollection { return (found, []) }
    // However many there are, they must not fill the memory.
    if wanted.all.count > 64 || wanted.byteCount > 8192 { throw .isLocked }
    return (found, [standIn(for: LockedSearch(owner: call.sender, wanted: wanted, collection: collection))])
  }

  private func unlock(_ call: MethodCall) throws(ServiceError) {
    let asked = try paths(try call.arguments("(ao)")[0])
    if case .unusable = state { try requireUnlocked() }
    unlockUnasked(Set(asked.compactMap { lockable($0, call.sender) }))
    var (open, locked): ([String], [String]) = ([], [])
    for path in asked where lockable(path, call.sender) != nil {
      if isLocked(path, call.sender) { locked.append(path) } else { open.append(path) }
    }
    if locked.isEmpty { return call.answer([Argument.paths(open), Argument.path(ObjectPath.none)]) }
    let prompt = try prompts.add(for: call.sender, of: locked)
    call.answer([Argument.paths(open), Argument.path(prompt.path)])
  }

  private func lock(_ call: MethodCall) throws(ServiceError) {
    let asked = try paths(try call.arguments("(ao)")[0])
    // Items in memory are always open.
    let names = asked.map { lockable($0, call.sender) }.map { $0 == Self.sessionCollection ? nil : $0 }
    let all = Set(names.compactMap(\.self))
    if !all.isEmpty { lock(all) }
    let locked = zip(asked, names).filter { $1.map { isLocked($0) } ?? false }.map(\.0)
    call.answer([Argument.paths(locked), Argument.path(ObjectPath.none)])
  }

  private func getSecrets(_ call: MethodCall) throws(ServiceError) {
    let arguments = try call.arguments("(aoo)")
    let asked = try paths(arguments[0])
    let session = try sessions.session(at: try path(arguments[1]), of: call.sender)
    if case .unusable = state { try requireUnlocked() }
    let items = asked.compactMap { path -> ServedItem? in
      guard case .item(let item) = object(at: path, for: call.sender) else { return nil }
      return item
    }
    call.concerns = items
    // Items that the program may not use are left out, like locked ones.
    let open = items.filter { !isLocked($0.collection) }
    permitting(Wish(call.sender, open, for: call) { [self] _ in answerSecrets(call, asked, session) })
  }

  private func answerSecrets(_ call: MethodCall, _ asked: [String], _ session: Session) {
    var kept: [(path: String, item: Item, contentType: String)] = []
    var ready: [(path: String, SharedSecret, contentType: String)] = []
    var seen: Set<String> = []
    let judge = judge(of: call.sender)
    for path in asked where seen.insert(path).inserted {
      guard case .item(let item) = object(at: path, for: call.sender), !isLocked(item.collection),
        judge(item) == true
      else { continue }
      if let secret = volatileSecrets[item.path] {
        ready.append((path, secret, item.toldContentType))
      } else if let stored = item.item {
        kept.append((path, stored, item.toldContentType))
      }
    }
    if kept.isEmpty { return answer(call, with: ready, session) }
    readSecrets(of: kept) { [self, ready, kept] result in
      switch result {
      case .success(let secrets):
        if secrets.count < kept.count, judgeAgain(call) { return }
        answer(call, with: ready + secrets, session)
      // It was locked in the meantime, and locked items are left out.
      case .failure(.locked): answer(call, with: ready, session)
      case .failure(let error): call.refuse(ServiceError(error))
      }
    }
  }

  private func answer(
    _ call: MethodCall, with secrets: [(path: String, SharedSecret, contentType: String)], _ session: Session
  ) {
    call.answer([Argument.secrets(secrets.map { ($0.path, session.seal($0.1.secret, $0.contentType)) })])
  }

  private func setAlias(_ call: MethodCall) throws(ServiceError) {
    let arguments = try call.arguments("(so)")
    let (alias, path) = (try text(arguments[0]), try self.path(arguments[1]))
    guard alias == "default" else { throw .notSupported("only the alias 'default' can be set") }
    try requireUnlocked()
    let name = try self.name(ofCollectionAt: path, call)
    if name == Self.sessionCollection { throw .notSupported("the collection in memory can't be the default") }
    try changeCollection(call, label: nil, isDefault: true) { [self] () throws(ServiceError) in
      try requireUnlocked()
      guard holdings.collections[name] != nil else { throw .noSuchObject }
      return name == holdings.defaultCollection ? nil : name
    } finish: { _ in
      call.answer()
    }
  }

  /// The name of the collection at a path; no path means the usual one.
  private func name(ofCollectionAt path: String, _ call: MethodCall) throws(ServiceError) -> ByteString {
    if path == ObjectPath.none { return Holdings.loginCollection }
    guard case .collection(let collection) = object(at: path, for: call.sender) else { throw .noSuchObject }
    return collection.name
  }

  // MARK: Arguments

  func text(_ value: Variant) throws(ServiceError) -> String {
    do throws(BusFailure) { return try value.text(of: "argument") } catch {
      throw .invalidArguments("a text is needed")
    }
  }

  func path(_ value: Variant) throws(ServiceError) -> String {
    do throws(BusFailure) { return try value.path(of: "argument") } catch {
      throw .invalidArguments("a path is needed")
    }
  }

  /// How many objects one call may name.
  private static let pathLimit = 20_000

  func paths(_ value: Variant) throws(ServiceError) -> [String] {
    do throws(BusFailure) {
      let paths = try value.paths(of: "argument")
      if paths.count > Self.pathLimit { throw BusFailure(call: "paths", .malformed(detail: "too many")) }
      return paths
    } catch { throw .invalidArguments("paths are needed") }
  }

  func content(_ value: Variant) throws(ServiceError) -> Variant {
    do throws(BusFailure) {
      return try value.content(of: "argument")
    } catch { throw .invalidArguments("a variant is needed") }
  }

  /// The attributes from a program, byte for byte.
  func attributes(_ value: Variant) throws(ServiceError) -> LookupAttributes {
    // Parsing must be quick, whatever is sent.
    if value.size > ItemBounds.attributes * 2 { throw .tooManyAttributes }
    do throws(BusFailure) {
      var attributes = LookupAttributes()
      for entry in try value.parts("a{ss}", of: "attributes") {
        let pair = try entry.parts("{ss}", of: "attributes")
        attributes[ByteString(try pair[0].text(of: "attribute"))] = ByteString(
          try pair[1].text(of: "attribute"))
      }
      return attributes
    } catch {
      throw .invalidArguments("attributes are texts by their names")
    }
  }

  /// A secret from a program, sent in one of its sessions.
  func secret(_ value: Variant, from caller: String) throws(ServiceError) -> (
    SharedSecret, contentType: String
  ) {
    let parts: [Variant]
    do throws(BusFailure) {
      parts = try value.parts("(oayays)", of: "secret")
    } catch {
      throw .invalidArguments("a secret is (oayays)")
    }
    let session = try sessions.session(at: try path(parts[0]), of: caller)
    // A secret that is too large isn't even decrypted. Encryption adds at most one block.
    if parts[2].size > ItemBounds.secret + 16 { throw .tooLargeSecret }
    return (SharedSecret(try session.open(parts[1], parts[2])), try text(parts[3]))
  }
}
