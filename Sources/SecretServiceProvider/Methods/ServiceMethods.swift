import Bytes
import CSecret
import Keychain
import SecretService

extension Provider {
  /// The methods of the service itself (Secret Service draft 0.2, "org.freedesktop.Secret.Service").
  func answerService(_ call: MethodCall) throws(ServiceError) {
    switch call.member {
    case "OpenSession": try openSession(call)
    case "CreateCollection": try createCollection(call)
    case "SearchItems":
      let wanted = try attributes(try call.arguments()[0])
      try answerSearch(wanted, in: nil, for: call) { unlocked, locked in
        call.answer([Argument.paths(unlocked), Argument.paths(locked)])
      }
    case "Unlock": try unlock(call)
    case "Lock": try lock(call)
    case "LockService":
      try call.arguments()
      _ = settings.lock()
      update()
      call.answer()
    case "GetSecrets": try getSecrets(call)
    case "ReadAlias":
      let name = holdings.collection(alias: try call.arguments()[0].text)
      call.answer([Argument.path(name.map(ObjectPath.collection) ?? ObjectPath.none)])
    case "SetAlias": try setAlias(call)
    case "ChangeLock": throw .notSupported("the passphrase is changed by 'llavero passphrase'")
    default: throw .unknownMethod
    }
  }

  private func openSession(_ call: MethodCall) throws(ServiceError) {
    let arguments = try call.arguments()
    let (session, output) = try sessions.open(arguments[0].text, arguments[1].content, for: call.sender)
    call.answer([Argument.variant(output), Argument.path(session.path)])
    // The next session then waits for one calculation less.
    MainLoop.post { [self] in sessions.prepare() }
  }

  private func unlock(_ call: MethodCall) throws(ServiceError) {
    let asked = try paths(try call.arguments()[0])
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
    let asked = try paths(try call.arguments()[0])
    // Items in memory are always open.
    let names = asked.map { lockable($0, call.sender) }.map { $0 == CollectionName.session ? nil : $0 }
    let all = Set(names.compactMap(\.self))
    if !all.isEmpty { lock(all) }
    let locked = zip(asked, names).filter { $1.map { isLocked($0) } ?? false }.map(\.0)
    call.answer([Argument.paths(locked), Argument.path(ObjectPath.none)])
  }

  private func getSecrets(_ call: MethodCall) throws(ServiceError) {
    let arguments = try call.arguments()
    let asked = try paths(arguments[0])
    let session = try sessions.session(at: arguments[1].text, of: call.sender)
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

  private func answerSecrets(_ call: MethodCall, _ asked: [String], _ session: ServedSession) {
    var kept: [(path: String, item: Item, contentType: String)] = []
    var ready: [SecretOfItem] = []
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
    _ call: MethodCall, with secrets: [SecretOfItem], _ session: ServedSession
  ) {
    let entries: [OpaquePointer] = secrets.map {
      g_variant_new_dict_entry(Argument.path($0.path), session.seal($0.1.secret, $0.contentType))
    }
    call.answer([Argument.array(of: "{o(oayays)}", entries)])
  }

  private func setAlias(_ call: MethodCall) throws(ServiceError) {
    let arguments = try call.arguments()
    let (alias, path) = (arguments[0].text, arguments[1].text)
    guard alias == "default" else { throw .notSupported("only the alias 'default' can be set") }
    try requireUnlocked()
    let name = try self.name(ofCollectionAt: path, call)
    if name == CollectionName.session { throw .notSupported("the collection in memory can't be the default") }
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
    if path == ObjectPath.none { return CollectionName.login }
    guard case .collection(let collection) = object(at: path, for: call.sender) else { throw .noSuchObject }
    return collection.name
  }

  // MARK: Arguments

  /// How many objects one call may name.
  private static let pathLimit = 20_000

  func paths(_ value: TypedVariant) throws(ServiceError) -> [String] {
    if value.count > Self.pathLimit { throw .invalidArguments("paths are needed") }
    return value.paths
  }

  /// The attributes from a program, byte for byte.
  func attributes(_ value: TypedVariant) throws(ServiceError) -> LookupAttributes {
    // Parsing must be quick, whatever is sent.
    if value.variant.size > ItemBounds.attributes * 2 { throw .tooManyAttributes }
    return value.attributes
  }

  /// A secret from a program, of the type `(oayays)`, sent in one of its sessions.
  func secret(
    _ value: TypedVariant, from caller: String
  ) throws(ServiceError) -> (SharedSecret, contentType: String) {
    let session = try sessions.session(at: value[0].text, of: caller)
    // A secret that is too large isn't even decrypted. Encryption adds at most one block.
    if value[2].variant.size > ItemBounds.secret + 16 { throw .tooLargeSecret }
    return (SharedSecret(try session.open(value[1], value[2])), value[3].text)
  }
}
