import Bytes
import Keychain
import SecretService

extension Provider {
  /// The methods of an item (Secret Service draft 0.2, "org.freedesktop.Secret.Item").
  func answer(_ call: MethodCall, of item: ServedItem) throws(ServiceError) {
    switch call.member {
    case "Delete":
      _ = try call.arguments("()")
      try delete(item, call)
    case "GetSecret": try getSecret(of: item, call)
    case "SetSecret": try setSecret(of: item, call)
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
    try change(call) { [self] () throws(ServiceError) in
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
    let session = try sessions.session(at: try path(try call.arguments("(o)")[0]), of: call.sender)
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

  private func setSecret(of item: ServedItem, _ call: MethodCall) throws(ServiceError) {
    let (body, contentType) = try secret(try call.arguments("((oayays))")[0], from: call.sender)
    if item.item == nil {
      var changed = item
      changed.shown.contentType = contentType
      let former = volatileSecrets.removeValue(forKey: item.path)
      do throws(ServiceError) {
        try refuseVolatile(changed.shown, body)
      } catch {
        volatileSecrets[item.path] = former
        throw error
      }
      volatileSecrets[item.path] = body
      changed.modified = ServedItem.seconds(.now)
      holdings.put(changed)
      signalChanged(changed)
      return call.answer()
    }
    try change(call) { [self] () throws(ServiceError) in
      let ((_, stored), isExact) = (try present(call), isExact)
      return { (keychain) throws(KeychainError) in
        try ClientChanges.setSecret(body, contentType, of: stored, isExact: isExact, in: keychain)
      }
    } finish: { [self] item in
      took(changed: item, call)
      if let served = ServedItem(item, standard: Holdings.loginCollection) { permitOwn(served, call.sender) }
    }
  }

  func change(
    _ item: ServedItem, _ call: MethodCall, _ edit: @escaping @Sendable (inout ItemTranslation.Shown) -> Void
  ) throws(ServiceError) {
    if item.item == nil {
      var changed = item
      edit(&changed.shown)
      let body = volatileSecrets.removeValue(forKey: item.path) ?? SharedSecret(Secret())
      defer { volatileSecrets[item.path] = body }
      try refuseVolatile(changed.shown, body)
      changed.modified = ServedItem.seconds(.now)
      holdings.put(changed)
      signalChanged(changed)
      return call.answer()
    }
    var wasOwn = false
    try change(call) { [self] () throws(ServiceError) in
      let ((_, stored), isExact) = (try present(call), isExact)
      wasOwn = isOwn(stored, call.sender)
      return { (keychain) throws(KeychainError) in
        try ClientChanges.update(stored, isExact: isExact, in: keychain, edit)
      }
    } finish: { [self] item in
      took(changed: item, call)
      if wasOwn, let served = ServedItem(item, standard: Holdings.loginCollection) {
        permitOwn(served, call.sender)
      }
    }
  }

  /// Takes a changed item, announces it, and answers. A new secret shows in the date.
  private func took(changed item: Item, _ call: MethodCall) {
    if let path = holdings.put(item), let served = holdings.items[path] {
      noteChange(at: path)
      signalChanged(served)
    }
    call.answer()
  }
}
