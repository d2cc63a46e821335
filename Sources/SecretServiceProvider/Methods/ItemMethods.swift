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
    guard let stored = item.item else {
      volatileSecrets[item.path] = nil
      holdings.remove(item.path)
      signalDeleted(item)
      return call.answer([Argument.path(ObjectPath.none)])
    }
    try refuseFlood()
    writer.run(
      { (keychain) throws(KeychainError) in try keychain.delete([stored]) },
      then: { [self] result in
        switch result {
        case .success:
          if holdings.items[item.path] != nil {
            holdings.remove(item.path)
            signalDeleted(item)
          }
          call.answer([Argument.path(ObjectPath.none)])
        case .failure(let error): call.refuse(ServiceError(error, explain: settings.explain))
        }
      })
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
        guard let secret = secrets.first else { return call.refuse(.noSuchObject) }
        call.answer([session.seal(secret.1.secret, contentType)])
      case .failure(let error): call.refuse(ServiceError(error, explain: settings.explain))
      }
    }
  }

  private func setSecret(of item: ServedItem, _ call: MethodCall) throws(ServiceError) {
    let (body, contentType) = try secret(try call.arguments("((oayays))")[0], from: call.sender)
    guard let stored = item.item else {
      volatileSecrets[item.path] = body
      var changed = item
      changed.shown.contentType = contentType
      changed.modified = ServedItem.seconds(.now)
      holdings.put(changed)
      return call.answer()
    }
    try refuseFlood()
    change(item, call) { (keychain) throws(KeychainError) in
      try ClientChanges.setSecret(body, contentType, of: stored, in: keychain)
    }
  }

  /// Gives an item another label or other attributes.
  func change(
    _ item: ServedItem, to shown: ItemTranslation.Shown, _ call: MethodCall
  ) throws(ServiceError) {
    guard let stored = item.item else {
      var changed = item
      changed.shown = shown
      changed.modified = ServedItem.seconds(.now)
      holdings.put(changed)
      signalChanged(changed)
      return call.answer()
    }
    try refuseFlood()
    change(item, call) { (keychain) throws(KeychainError) in
      try ClientChanges.update(stored, to: shown, in: keychain)
    }
  }

  private func change(
    _ item: ServedItem, _ call: MethodCall,
    _ body: @escaping @Sendable (any KeychainStore) throws(KeychainError) -> Item
  ) {
    writer.run(
      body,
      then: { [self] result in
        switch result {
        case .success(let changed):
          holdings.put(changed)
          if let served = holdings.items[item.path] {
            // A new secret is told to those who look at the date.
            signalChanged(served)
          }
          call.answer()
        case .failure(let error): call.refuse(ServiceError(error, explain: settings.explain))
        }
      })
  }
}
