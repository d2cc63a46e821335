public import Keychain

extension SecretServiceKeychain {
  /// Unlocks the collection in use, through the service's own prompt or, if the service is gnome-keyring, with a
  /// passphrase.
  public func unlock(
    isKnown: Bool, passphrase: (_ attempt: Int) throws(KeychainError) -> Secret?
  ) throws(KeychainError) {
    guard let collection = try lockedCollection() else { return }
    let name = collectionName(of: collection)
    if !isKnown, !takesPassword {
      do throws(KeychainError) {
        return try unlock([collection], named: name)
      } catch .collectionLocked {
        // Nobody saw the prompt, or somebody declined. The person is asked once more, here.
      }
    }
    if !(try unlock(collection, named: name, with: passphrase)) { throw .collectionLocked(name) }
  }

  /// Whether a person is asked here, and not by the service.
  private var takesPassword: Bool { settings.password != nil && service.product == .gnomeKeyring }

  /// Unlocks what a prompt is for with the passwords of the collections, if a person is asked here.
  ///
  /// - Returns: whether that was done; if not, the prompt is to be shown.
  /// - Throws: ``KeychainError/wrongPassphrase(path:)``, and any error of the question.
  func unlockWithPassword(_ prompt: UnlockingPrompt) throws(KeychainError) -> Bool {
    guard takesPassword, let password = settings.password else { return false }
    for collection in Set(prompt.objects.map(Self.collection)).sorted() where try isLocked(collection) {
      let name = collectionName(of: collection)
      if !(try unlock(collection, named: name, with: password(name))) { return false }
    }
    service.dismiss(prompt: prompt.path)
    return true
  }

  /// Returns whether it was unlocked: `false` if nobody gives a password, or the service takes none.
  private func unlock(
    _ collection: String, named name: String, with password: (_ attempt: Int) throws(KeychainError) -> Secret?
  ) throws(KeychainError) -> Bool {
    let keyring = GnomeKeyring(service: service, session: try openSession())
    var attempt = 1
    while let given = try password(attempt) {
      let outcome = try reporting(keyring.unlock(collection, with: given))
      switch outcome {
      case .done:
        if try isLocked(collection) { throw .collectionLocked(name) }
        return true
      case .unknown: return false
      case .wrongPassphrase: attempt += 1
      }
    }
    if attempt > 1 { throw .wrongPassphrase(path: name) }
    return false
  }

  /// Locks the collection in use.
  public func lock() throws(KeychainError) {
    try repeatable { () throws(KeychainError) in
      guard let collection = try existingCollection() else { throw .noCollection(settings.collection) }
      // KWallet refuses to lock a locked collection.
      if (try? isLocked(collection)) == true { return }
      let prompt = try reporting(
        refusing(
          service.bus.call(service.call("Lock", Argument.paths([collection])))
            .checked(as: "(aoo)", of: "Lock")[1].text))
      if prompt != ObjectPath.none { _ = try run(prompt: prompt, for: "Lock") }
      let isLocked = try reporting { () throws(BusFailure) in
        do throws(BusFailure) {
          return try service.isLocked(collection)
        } catch {
          // KeePassXC may have no collection for a locked database.
          if error.isAboutMissingObject, try !service.collections().contains(collection) { return true }
          throw error
        }
      }
      if !isLocked { throw .refused(call: "Lock", error: "", detail: "it is unlocked all the same") }
    }
  }

  /// The collection in use, if it is locked.
  private func lockedCollection() throws(KeychainError) -> String? {
    try repeatable { () throws(KeychainError) in
      guard let collection = try existingCollection() else { throw .noCollection(settings.collection) }
      return try isLocked(collection) ? collection : nil
    }
  }

  /// Makes a collection, and makes it the default one if there is none.
  public func createCollection(
    _ label: String, isKnown: Bool, passphrase: () throws(KeychainError) -> Secret?
  ) throws(KeychainError) {
    let paths = try repeatable { () throws(KeychainError) in
      try reporting(service.collections())
    }
    for path in paths where try isCollection(path, called: label) { throw .duplicateItem }
    let alias = service.defaultCollection == nil ? "default" : ""
    if !isKnown {
      do throws(KeychainError) {
        try createCollection(label, alias: alias)
        _ = try collection(madeBeside: paths)
        return
      } catch .collectionLocked {
        // As in `unlock`.
      }
    }
    let keyring = GnomeKeyring(service: service, session: try openSession())
    guard let passphrase = try passphrase() else { throw .collectionLocked(label) }
    let outcome = try reporting(keyring.createCollection(label, with: passphrase))
    if case .done = outcome {
      let made = try collection(madeBeside: paths)
      if alias.isEmpty { return }
      try reporting { () throws(BusFailure) in
        _ = try service.bus.call(
          service.call("SetAlias", Argument.text(alias), Argument.path(made)))
      }
    } else {
      throw .collectionLocked(label)
    }
  }

  private func createCollection(_ label: String, alias: String) throws(KeychainError) {
    let (made, prompt) = try reporting(
      service.made(
        by: service.call(
          "CreateCollection",
          Argument.properties([(Interface.collection + ".Label", Argument.text(label))]),
          Argument.text(alias))))
    if made == ObjectPath.none { try show(prompt, named: label) }
  }

  /// The collection that didn't exist before.
  private func collection(madeBeside paths: [String]) throws(KeychainError) -> String {
    let all = try reporting(service.collections())
    guard let made = all.first(where: { !paths.contains($0) }) else {
      throw .refused(call: "CreateCollection", error: "", detail: "there is no new collection")
    }
    return made
  }

  private func isCollection(_ path: String, called name: String) throws(KeychainError) -> Bool {
    if collectionName(of: path) == name { return true }
    return try label(ofCollection: path) == name
  }
}
