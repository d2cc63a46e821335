import Bytes
import Keychain
import SecretService

extension Provider {
  /// The methods of an item (Secret Service draft 0.2, "org.freedesktop.Secret.Item").
  func answer(_ call: MethodCall, of item: ServedItem) throws(ServiceError) {
    switch call.member {
    case "Delete":
      try call.arguments()
      try delete(item, call)
    case "GetSecret": try getSecret(of: item, call)
    case "SetSecret":
      let (body, contentType) = try secret(try call.arguments()[0], from: call.sender)
      try change(item, call, to: body) { $0.contentType = contentType }
    default: throw .unknownMethod
    }
  }

  private func delete(_ item: ServedItem, _ call: MethodCall) throws(ServiceError) {
    if item.item == nil {
      volatileSecrets[item.path] = nil
      holdings.remove(item.path)
      signalDeleted(item)
      return call.answer([Argument.path(ObjectPath.none)])
    }
    try change(call, of: subject(of: call, about: item)) { [self] () throws(ServiceError) in
      let ((item, stored), isExact) = (try present(call), isExact)
      return { (keychain) throws(KeychainError) in
        try ClientChanges.delete(stored, isExact: isExact, in: keychain)
        return item.path
      }
    } finish: { [self] path in
      noteChange(at: path)
      if let item = holdings.items[path] {
        holdings.remove(path)
        signalDeleted(item)
      }
      call.answer([Argument.path(ObjectPath.none)])
    }
  }

  /// A path that stands for a search, or has an alias, may lead to another item when its turn comes.
  private func subject(of call: MethodCall, about item: ServedItem) -> ChangeSubject {
    call.path == item.path ? .item(item.path) : .all
  }

  private func present(_ call: MethodCall) throws(ServiceError) -> (ServedItem, Item) {
    try requireUnlocked()
    guard case .item(let item) = object(at: call.path, for: call.sender), let stored = item.item else {
      throw .noSuchObject
    }
    try requireUnlocked(item.collection)
    // A path that stands for a search may lead to another item by now.
    if isAllowed(item, call.sender) != true { throw .accessDenied("it isn't this program's") }
    return (item, stored)
  }

  private func getSecret(of item: ServedItem, _ call: MethodCall) throws(ServiceError) {
    let session = try sessions.session(at: try call.arguments()[0].text, of: call.sender)
    let contentType = item.toldContentType
    guard let stored = item.item else {
      guard let secret = volatileSecrets[item.path] else { throw .noSuchObject }
      return call.answer([session.seal(secret.secret, contentType)])
    }
    readSecrets(of: [(item.path, stored, contentType)]) { [self] result in
      switch result {
      case .success(let secrets):
        guard let secret = secrets.first else {
          if !judgeAgain(call) { call.refuse(.noSuchObject) }
          return
        }
        call.answer([session.seal(secret.1.secret, contentType)])
      case .failure(let error): call.refuse(ServiceError(error))
      }
    }
  }

  /// Changes an item, announces it, and answers.
  ///
  /// - Parameter body: the new secret; `nil` if it stays.
  func change(
    _ item: ServedItem, _ call: MethodCall, to body: SharedSecret? = nil,
    _ edit: @escaping @Sendable (inout ItemTranslation.Shown) -> Void
  ) throws(ServiceError) {
    if item.item == nil { return try changeVolatile(item, call, to: body, edit) }
    var wasOwn = false
    try change(call, of: subject(of: call, about: item)) { [self] () throws(ServiceError) in
      let ((_, stored), isExact) = (try present(call), isExact)
      wasOwn = body != nil || isOwn(stored, call.sender)
      return { (keychain) throws(KeychainError) in
        try ClientChanges.update(stored, body, isExact: isExact, in: keychain, edit)
      }
    } finish: { [self] item in
      // A new secret shows in the date.
      if let path = holdings.put(item), let served = holdings.items[path] {
        noteChange(at: path)
        signalChanged(served)
        if wasOwn { permitOwn(served, call.sender) }
      }
      call.answer()
    }
  }

  private func changeVolatile(
    _ item: ServedItem, _ call: MethodCall, to body: SharedSecret?,
    _ edit: (inout ItemTranslation.Shown) -> Void
  ) throws(ServiceError) {
    var shown = item.shown
    edit(&shown)
    // It doesn't count beside its successor.
    var kept = volatileSecrets.removeValue(forKey: item.path) ?? SharedSecret(Secret())
    defer { volatileSecrets[item.path] = kept }
    try refuseVolatile(shown, body ?? kept)
    kept = body ?? kept
    let changed = ServedItem(item, showing: shown, at: .now)
    holdings.put(changed)
    signalChanged(changed)
    call.answer()
  }
}
